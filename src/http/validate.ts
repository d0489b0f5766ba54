import type { Fault, OperationId } from '../contract.js';
import { fault, ProblemError } from '../problem.js';
import {
  bodySchemaOf,
  type ContractDocument,
  mediaTypeOf,
  type OperationObject,
  resolve,
} from './contract-document.js';
import { toFault } from './faults.js';
import type { Middleware } from './in-order.js';
import { readQuery } from './query.js';
import { createFindErrors, type RequestParts } from './validator.js';

export interface Validation {
  /**
   * Validates a request. Reports all validation errors in one response (422). Replaces `request.query` by the validated
   * parameters, with the contract's defaults.
   */
  readonly validateRequest: Middleware;
  /**
   * Validates a value like the body of a request of the operation. Rejects with a ProblemError that has all validation
   * errors.
   */
  readonly validateBody: (operationId: OperationId, body: unknown) => Promise<void>;
}

/** Returns functions that validate against the contract. Rejects when the validator cannot use the contract. */
export async function createValidation(document: ContractDocument): Promise<Validation> {
  const findErrors = await createFindErrors(document);
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const byId = new Map(operations.map((operation) => [operation.operationId, operation]));

  /** Rejects if the request has an error. `faults` are the errors of its query that are already known. */
  async function check(operation: OperationObject, parts: RequestParts, faults: readonly Fault[]): Promise<void> {
    const found = (await findErrors(operation, parts)).map((it) => toFault(document, operation, parts.body, it));
    const all = [...merge(faults, found), ...faultsAcrossFields(document, operation, parts.body)];
    if (all.length > 0) throw new ProblemError('validation_failed', { faults: all });
  }

  return {
    async validateRequest(request, response, next) {
      const { route, params } = response.locals;
      if (!route) throw new Error('validation must run after route');
      const { query, faults } = readQuery(document, route.operation, request);
      const { headers, body } = request;
      Object.defineProperty(request, 'query', { value: query, writable: true, configurable: true });
      await check(route.operation, { query, headers, params, body }, faults);
      next();
    },
    async validateBody(operationId, body) {
      const operation = byId.get(operationId);
      if (!operation) throw new Error(`unknown operation ${operationId}`);
      const headers = { 'content-type': mediaTypeOf(operation) };
      await check(operation, { query: {}, headers, params: {}, body }, []);
    },
  };
}

/**
 * Checks rules across several fields, which OpenAPI 3.0 cannot express. The contract defines them as `x-required-with`
 * and `x-one-of-fields`.
 */
function faultsAcrossFields(document: ContractDocument, operation: OperationObject, body: unknown): Fault[] {
  const schema = bodySchemaOf(operation);
  if (!schema || typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  const { 'x-required-with': pair, 'x-one-of-fields': group } = resolve(document, schema);
  const has = (field: string) => Object.hasOwn(body, field);
  const isAlone = pair?.fields.every(has) && !has(pair.required);
  const isAmbiguous = group && group.filter(has).length !== 1;
  return [
    ...(isAmbiguous ? [fault('exclusive', { pointer: '' }, group.join(' and '))] : []),
    ...(pair && isAlone ? [fault('missing', { pointer: `/${pair.required}` })] : []),
  ];
}

/** Drops the errors about query parameters whose error is already known. */
function merge(known: readonly Fault[], found: readonly Fault[]): Fault[] {
  const isKnown = ({ parameter }: Fault) => parameter !== undefined && known.some((it) => it.parameter === parameter);
  return [...known, ...found.filter((it) => !isKnown(it))];
}
