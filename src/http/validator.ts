import type { Request, RequestHandler, Response } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import type { OperationId } from '../contract.js';
import { type ContractDocument, mediaTypeOf, type OperationObject } from './contract-document.js';
import type { ValidatorFault } from './faults.js';
import { inOrder, type Middleware } from './in-order.js';
import { requestContractOf } from './request-contract.js';

/** The parts of a request that the contract describes. Integers of the query are numbers, header names lower case. */
export interface RequestParts {
  readonly query: object;
  /** `content-type` must be a media type of the operation: the validator keeps a compiled schema per value. */
  readonly headers: object;
  readonly params: object;
  readonly body: unknown;
}

/**
 * Resolves with all errors of a request. Their paths begin with the name of a part, e.g. `/query` or `/body/tone`. Adds
 * the contract's defaults to the query.
 */
export type FindErrors = (operation: OperationObject, parts: RequestParts) => Promise<readonly ValidatorFault[]>;

type Options = Parameters<typeof OpenApiValidator.middleware>[0];

/** The middleware of express-openapi-validator. */
export interface ValidatorMiddleware {
  /** Steps that set `request.openapi` to the operation of the path. */
  readonly find: readonly Middleware[];
  /** Validate the request against `request.openapi`. */
  readonly check: readonly Middleware[];
}

/**
 * Returns the validator's middleware. Its last step validates the request, because all later steps are off.
 * `createFindErrors` verifies this at the start.
 */
export function middlewareOf(document: ContractDocument): ValidatorMiddleware {
  const all = OpenApiValidator.middleware({
    apiSpec: requestContractOf(document) as Options['apiSpec'],
    // The linters check the contract.
    validateApiSpec: false,
    validateSecurity: false,
    validateRequests: { allErrors: true, coerceTypes: false },
    validateResponses: false,
    ajvFormats: { mode: 'full' },
    fileUploader: false,
  }) as unknown as RequestHandler[];
  return { find: all.slice(0, -1), check: all.slice(-1) };
}

/** An operation as the validator knows it. */
interface Known {
  readonly method: string;
  /** `request.openapi` of the operation. */
  readonly metadata: { readonly openApiRoute: string };
}

/**
 * Returns a function that validates requests of known operations. The validator would compile and try each path again
 * per request. This function finds an operation at its first request, and the validator then compiles its schema.
 *
 * Rejects if the validator cannot read the contract, or if its middleware does not find operations or does not
 * validate.
 */
export async function createFindErrors(
  document: ContractDocument,
  middleware = middlewareOf(document),
): Promise<FindErrors> {
  const [find, check] = [inOrder(middleware.find), inOrder(middleware.check)];
  const places = placesOf(document);
  const known = new Map<OperationId, Promise<Known>>();
  const lookUp = ({ operationId }: OperationObject): Promise<Known> => {
    const { method, path } = places.get(operationId) ?? { method: '', path: operationId };
    const found = known.get(operationId) ?? findMetadata(find, method, path);
    known.set(operationId, found);
    return found;
  };
  const findErrors: FindErrors = async (operation, parts) => {
    const { method, metadata } = await lookUp(operation);
    const openapi = { ...metadata, pathParams: parts.params };
    const error = await run(check, { ...parts, method, originalUrl: metadata.openApiRoute, openapi });
    if (error === undefined) return [];
    if (isValidationError(error)) return error.errors;
    throw error;
  };
  await assertValidates(document, findErrors);
  return findErrors;
}

function placesOf(document: ContractDocument) {
  const places = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(
      ([method, { operationId }]) => [operationId, { method: method.toUpperCase(), path }] as const,
    ),
  );
  return new Map(places);
}

async function findMetadata(find: RequestHandler, method: string, path: string): Promise<Known> {
  const app = { param() {}, enabled: () => false };
  const request = { app, method, path, originalUrl: path, baseUrl: '', openapi: undefined };
  const error = await run(find, request);
  if (error !== undefined) throw error;
  if (!request.openapi) throw new Error(`express-openapi-validator does not find ${method} ${path}`);
  return { method, metadata: request.openapi as Known['metadata'] };
}

/** Rejects if an operation with a body accepts null, which no schema of the contract allows. */
async function assertValidates(document: ContractDocument, findErrors: FindErrors): Promise<void> {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const operation = operations.find(({ requestBody }) => requestBody !== undefined);
  if (!operation) return;
  const headers = { 'content-type': mediaTypeOf(operation) };
  const errors = await findErrors(operation, { query: {}, headers, params: {}, body: null });
  if (errors.length === 0) throw new Error(`express-openapi-validator does not validate ${operation.operationId}`);
}

/** Resolves with the error that the handler passes to `next`, or undefined. */
function run(handler: RequestHandler, request: object): Promise<unknown> {
  return new Promise((resolve) => void handler(request as Request, {} as Response, resolve));
}

function isValidationError(error: unknown): error is { errors: ValidatorFault[] } {
  return (
    error instanceof Error && error.name === 'Bad Request' && Array.isArray((error as { errors?: unknown }).errors)
  );
}
