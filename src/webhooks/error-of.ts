import type { Schema } from '../contract/contract.js';
import { NameNotResolvedError } from './resolve-name.js';

const timeoutCodes = ['ETIMEDOUT', 'ATTEMPT_TIMEOUT'];

/** Returns the contract's error name for an attempt without a complete response. */
export function describeError(error: unknown): Schema<'DeliveryError'> {
  if (error instanceof NameNotResolvedError) return 'name_not_resolved';
  const codes = listCodes(error);
  if (codes.includes('ADDRESS_REFUSED')) return 'address_refused';
  if (timeoutCodes.some((it) => codes.includes(it))) return 'timeout';
  return /TLS|SSL|CERT|SIGNED|ISSUER|EPROTO|ALTNAME/.test(codes.join(' ')) ? 'tls_failed' : 'connection_failed';
}

/** If all addresses of a name failed, an AggregateError contains their errors. */
function listCodes(error: unknown): string[] {
  const { code = '', errors = [] } = (error ?? {}) as { code?: string; errors?: unknown[] };
  return [String(code), ...errors.flatMap(listCodes)];
}
