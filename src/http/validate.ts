import type { RequestHandler } from 'express';
import type { Fault } from '../contract.js';
import { fault, ProblemError } from '../problem.js';
import { type ContractDocument, type OperationObject, resolve } from './contract-document.js';
import { toFault } from './faults.js';
import { readQuery } from './query.js';
import { createValidator, isValidationError, middlewareOf, type ValidateOptions } from './validator.js';

/**
 * Validates the request against the contract. Reports all validation errors in one response (422). Rejects when the
 * contract is invalid.
 */
export async function validate(document: ContractDocument, options: ValidateOptions): Promise<RequestHandler> {
  const run = await createValidator(document, middlewareOf(document, options));
  return (request, response, next) => {
    const operation = response.locals.route?.operation;
    if (!operation) throw new Error('validate must run after route');
    const inQuery = readQuery(document, operation, request);
    const acrossFields = faultsAcrossFields(document, operation, request.body);
    run(request, response, (error?: unknown) => {
      if (error !== undefined && !isValidationError(error)) return next(error);
      const found = isValidationError(error)
        ? error.errors.map((it) => toFault(document, operation, request.body, it))
        : [];
      const all = [...merge(inQuery, found), ...acrossFields];
      next(all.length > 0 ? new ProblemError('validation_failed', { faults: all }) : undefined);
    });
  };
}

/**
 * Checks rules across several fields, which OpenAPI 3.0 cannot express. The contract defines them as `x-required-with`
 * and `x-one-of-fields`.
 */
function faultsAcrossFields(document: ContractDocument, operation: OperationObject, body: unknown): Fault[] {
  const schema = operation.requestBody?.content['application/json']?.schema;
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

/** Drops the validator's errors about parameters that were removed from the query because they are invalid. */
function merge(ours: readonly Fault[], theirs: readonly Fault[]): Fault[] {
  const isOurs = ({ parameter }: Fault) => parameter !== undefined && ours.some((it) => it.parameter === parameter);
  return [...ours, ...theirs.filter((it) => !isOurs(it))];
}
