import type { Request } from 'express';
import type { Fault } from '../contract.js';
import { fault } from '../problem.js';
import { type ContractDocument, type OperationObject, resolve } from './contract-document.js';

export interface ReadQuery {
  /** The parameters without faults, by name. Integers are numbers. */
  readonly query: Readonly<Record<string, string | number>>;
  /** Unknown, repeated and empty parameters, and values that are not an integer. */
  readonly faults: readonly Fault[];
}

/** Reads the query. The values are not yet validated against their schemas, except for the type. */
export function readQuery(document: ContractDocument, operation: OperationObject, request: Request): ReadQuery {
  if (!request.url.includes('?')) return { query: {}, faults: [] };
  const sent = Object.entries(request.query as Record<string, string | string[]>);
  const read = sent.map(([name, value]) => [name, readValue(document, operation, name, value)] as const);
  const isValid = (entry: (typeof read)[number]): entry is readonly [string, string | number] =>
    typeof entry[1] !== 'object';
  return {
    query: Object.fromEntries(read.filter(isValid)),
    faults: read.flatMap(([, value]) => (typeof value === 'object' ? [value] : [])),
  };
}

function readValue(
  document: ContractDocument,
  operation: OperationObject,
  parameter: string,
  value: string | string[],
): string | number | Fault {
  const declared = operation.parameters
    ?.map((it) => resolve(document, it))
    .find((it) => it.in === 'query' && it.name === parameter);
  if (!declared) return fault('extra_forbidden', { parameter });
  if (Array.isArray(value)) return fault('repeated', { parameter });
  const { type, minLength } = resolve(document, declared.schema);
  if (type === 'integer') return /^-?\d{1,15}$/.test(value) ? Number(value) : fault('integer_type', { parameter });
  if (value === '') return fault('string_too_short', { parameter }, String(minLength ?? 1));
  return value;
}
