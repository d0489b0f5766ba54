import type { RequestHandler } from 'express';
import type { Fault } from '../contract.js';
import { fault, ProblemError } from '../problem.js';
import { type ContractDocument, type OperationObject, resolve } from './contract-document.js';
import { toFault } from './faults.js';
import { readQuery } from './query.js';
import { createFindErrors } from './validator.js';

/**
 * Validates the request against the contract. Reports all validation errors in one response (422). Replaces
 * `request.query` by the validated parameters, with the contract's defaults.
 */
export function validate(document: ContractDocument): RequestHandler {
  const findErrors = createFindErrors(document);
  return (request, response, next) => {
    const { route, params } = response.locals;
    if (!route) throw new Error('validate must run after route');
    const { operation } = route;
    const { query, faults } = readQuery(document, operation, request);
    const { headers, body } = request;
    const errors = findErrors(operation, { query, headers, params, body });
    Object.defineProperty(request, 'query', { value: query, writable: true, configurable: true });
    const found = errors.map((it) => toFault(document, operation, it));
    const all = [...merge(faults, found), ...faultsAcrossFields(document, operation, body)];
    next(all.length > 0 ? new ProblemError('validation_failed', { faults: all }) : undefined);
  };
}

/**
 * Checks rules across several fields, which OpenAPI 3.0 cannot express. The contract defines them as `x-required-with`
 * and `x-one-of-fields`.
 */
function faultsAcrossFields(document: ContractDocument, operation: OperationObject, body: unknown): Fault[] {
  const schema = operation.requestBody?.content['application/json'].schema;
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
