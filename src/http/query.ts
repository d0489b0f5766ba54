import type { Request } from 'express';
import type { Fault } from '../contract.js';
import { fault } from '../problem.js';
import { type ContractDocument, type OperationObject, resolve } from './contract-document.js';

/**
 * Checks the query strictly. The validator stops at the first unknown parameter and accepts `1e1` and `0x10` as
 * integers. Removes invalid parameters from the query that the validator gets.
 */
export function readQuery(document: ContractDocument, operation: OperationObject, request: Request): Fault[] {
  if (!request.url.includes('?')) return [];
  const sent = Object.entries(request.query as Record<string, string | string[]>);
  const faults = sent.flatMap(([name, value]) => faultsOf(document, operation, name, value));
  const clean = sent.filter(([name]) => !faults.some(({ parameter }) => parameter === name));
  Object.defineProperty(request, 'query', { value: Object.fromEntries(clean), writable: true, configurable: true });
  return faults;
}

function faultsOf(
  document: ContractDocument,
  operation: OperationObject,
  parameter: string,
  value: string | string[],
): Fault[] {
  const declared = operation.parameters
    ?.map((it) => resolve(document, it))
    .find((it) => it.in === 'query' && it.name === parameter);
  if (!declared) return [fault('extra_forbidden', { parameter })];
  if (Array.isArray(value)) return [fault('repeated', { parameter })];
  const { type, minLength } = resolve(document, declared.schema);
  if (type === 'integer' && !/^-?\d{1,15}$/.test(value)) return [fault('integer_type', { parameter })];
  if (value === '') return [fault('string_too_short', { parameter }, String(minLength ?? 1))];
  return [];
}
