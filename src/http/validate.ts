import type { RequestHandler, Response } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import type {
  OpenApiRequest,
  OpenApiRequestMetadata,
  OpenAPIV3,
} from 'express-openapi-validator/dist/framework/types.js';
import type { Fault, OperationId } from '../contract.js';
import { fault, ProblemError } from '../problem.js';
import { type ContractDocument, type OperationObject, resolve } from './contract-document.js';
import { toFault, type ValidatorFault } from './faults.js';
import { inOrder } from './in-order.js';
import { readQuery } from './query.js';

export interface ValidateOptions {
  /** Checks our own answers too: on in every test, off in production, where it would double the cost of a request. */
  readonly validateResponses: boolean;
}

/** Checks the request against the contract and reports all of its faults at once (422). Rejects on a bad contract. */
export async function validate(document: ContractDocument, options: ValidateOptions): Promise<RequestHandler> {
  const run = await validatorFor(document, options);
  return (request, response, next) => {
    const operation = response.locals.route?.operation;
    if (!operation) throw new Error('validate needs a route');
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
 * The validator finds the operation of a request by trying one path after the other, each compiled anew. The router has
 * found it already, so what the validator knows of it is asked for once, at the start, and handed to its later steps.
 */
async function validatorFor(document: ContractDocument, options: ValidateOptions): Promise<RequestHandler> {
  const steps = stepsOf(document, options);
  const first = steps.findIndex(({ name }) => name === 'requestMiddleware');
  const [find, check] = [inOrder(steps.slice(0, first)), inOrder(steps.slice(first))];
  const known = new Map<OperationId, OpenApiRequestMetadata>();
  for (const [template, operations] of Object.entries(document.paths))
    for (const [method, { operationId }] of Object.entries(operations))
      known.set(operationId, await findMetadata(find, method.toUpperCase(), template));
  return (request, response, next) => {
    const { route, params } = response.locals;
    const metadata = route && known.get(route.operationId);
    if (!metadata) throw new Error('validate needs a route');
    (request as OpenApiRequest).openapi = { ...metadata, pathParams: { ...params } };
    request.params = { ...params };
    check(request, response, next);
  };
}

/** Rejects where the validator cannot read the contract. */
function findMetadata(find: RequestHandler, method: string, path: string): Promise<OpenApiRequestMetadata> {
  const app = { param() {}, enabled: () => false };
  const request = { app, method, path, originalUrl: path, baseUrl: '' } as unknown as OpenApiRequest;
  return new Promise((resolve, reject) => {
    const settle = (error?: unknown) =>
      error === undefined ? resolve(request.openapi as OpenApiRequestMetadata) : reject(error);
    void find(request, {} as Response, settle);
  });
}

function stepsOf(document: ContractDocument, { validateResponses }: ValidateOptions): RequestHandler[] {
  return OpenApiValidator.middleware({
    // A copy, for the validator rewrites what it is given.
    apiSpec: structuredClone(document) as unknown as OpenAPIV3.DocumentV3,
    validateSecurity: false,
    validateRequests: { allErrors: true, coerceTypes: false },
    validateResponses: validateResponses && { removeAdditional: false, coerceTypes: false },
    ajvFormats: { mode: 'full' },
    fileUploader: false,
  }) as unknown as RequestHandler[];
}

function isValidationError(error: unknown): error is { errors: ValidatorFault[] } {
  return (
    error instanceof Error && error.name === 'Bad Request' && Array.isArray((error as { errors?: unknown }).errors)
  );
}

/** What OpenAPI 3.0 cannot say of fields together; the contract does with `x-required-with` and `x-one-of-fields`. */
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

/** The validator misses parameters that were left out because of their own fault. */
function merge(ours: readonly Fault[], theirs: readonly Fault[]): Fault[] {
  const isOurs = ({ parameter }: Fault) => parameter !== undefined && ours.some((it) => it.parameter === parameter);
  return [...ours, ...theirs.filter((it) => !isOurs(it))];
}
