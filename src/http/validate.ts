import type { RequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types.js';
import type { Fault } from '../contract.js';
import { fault, ProblemError } from '../problem.js';
import { type ContractDocument, type OperationObject, resolve } from './contract-document.js';
import { toFault, type ValidatorFault } from './faults.js';
import { readQuery } from './query.js';

export interface ValidateOptions {
  /** Checks our own answers too: on in every test, off in production, where it would double the cost of a request. */
  readonly validateResponses: boolean;
}

/** Checks the request against the contract and reports all of its faults at once (422). Rejects on a bad contract. */
export async function validate(document: ContractDocument, options: ValidateOptions): Promise<RequestHandler> {
  const run = inOrder(validatorFor(document, options));
  await warmUp(run);
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

function validatorFor(document: ContractDocument, { validateResponses }: ValidateOptions): RequestHandler[] {
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

function inOrder(steps: readonly RequestHandler[]): RequestHandler {
  return (request, response, done) => {
    const step = (index: number) => (error?: unknown) => {
      const handler = steps[index];
      if (error !== undefined || !handler) return done(error);
      try {
        handler(request, response, step(index + 1));
      } catch (thrown) {
        done(thrown);
      }
    };
    step(0)();
  };
}

/** The validator reads its contract only at the first request; a bad one shall stop the start instead. */
function warmUp(run: RequestHandler): Promise<void> {
  const app = { param() {}, enabled: () => false };
  const request = { app, method: 'GET', path: '/', originalUrl: '/', baseUrl: '', headers: {}, query: {} };
  return new Promise((resolve, reject) => {
    const settle = (error?: unknown) => {
      const status = (error as { status?: number } | undefined)?.status;
      if (error === undefined || status === 404) resolve();
      else reject(error);
    };
    run(request as never, {} as never, settle);
  });
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
