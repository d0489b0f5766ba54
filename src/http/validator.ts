import type { RequestHandler, Response } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import type {
  OpenApiRequest,
  OpenApiRequestMetadata,
  OpenAPIV3,
} from 'express-openapi-validator/dist/framework/types.js';
import type { OperationId } from '../contract.js';
import type { ContractDocument } from './contract-document.js';
import type { ValidatorFault } from './faults.js';
import { inOrder, type Middleware } from './in-order.js';

export interface ValidateOptions {
  /**
   * True to validate responses too. Tests always do so. Production does not, because it would double the cost of a
   * request.
   */
  readonly validateResponses: boolean;
}

/** The middleware of express-openapi-validator. */
export interface ValidatorMiddleware {
  /** Steps that set `request.openapi` to the operation of the path. */
  readonly find: readonly Middleware[];
  /** Validate the request, and responses if enabled, against `request.openapi`. */
  readonly check: readonly Middleware[];
}

/**
 * Returns the validator's middleware. With all validation off, the validator returns only the middleware that finds the
 * operation.
 */
export function middlewareOf(document: ContractDocument, { validateResponses }: ValidateOptions): ValidatorMiddleware {
  const settings = { removeAdditional: false, coerceTypes: false } as const;
  const requests = { allErrors: true, coerceTypes: false } as const;
  const all = handlersOf(document, requests, validateResponses && settings);
  const found = handlersOf(document, false, false).length;
  return { find: all.slice(0, found), check: all.slice(found) };
}

type Options = Parameters<typeof OpenApiValidator.middleware>[0];

function handlersOf(
  document: ContractDocument,
  validateRequests: NonNullable<Options['validateRequests']>,
  validateResponses: NonNullable<Options['validateResponses']>,
): RequestHandler[] {
  return OpenApiValidator.middleware({
    apiSpec: withPatterns(document) as unknown as OpenAPIV3.DocumentV3,
    validateSecurity: false,
    validateRequests,
    validateResponses,
    ajvFormats: { mode: 'full' },
    fileUploader: false,
  }) as unknown as RequestHandler[];
}

/**
 * Returns a copy of the contract in which each `x-pattern` is a `pattern`. The validator modifies the copy.
 *
 * The published contract has no `pattern` next to `format: date-time`, because generators apply the pattern to their
 * date type, which fails.
 */
function withPatterns<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(withPatterns) as Part;
  if (typeof part !== 'object' || part === null) return part;
  const rename = (name: string) => (name === 'x-pattern' ? 'pattern' : name);
  return Object.fromEntries(Object.entries(part).map(([name, inner]) => [rename(name), withPatterns(inner)])) as Part;
}

/**
 * Returns a handler that validates requests with a known route. The validator would compile and try each path again per
 * request. This handler finds each operation only once, at startup.
 *
 * Rejects if the validator cannot read the contract, or if its middleware does not find operations or does not
 * validate.
 */
export async function createValidator(
  document: ContractDocument,
  middleware: ValidatorMiddleware,
): Promise<RequestHandler> {
  const [find, check] = [inOrder(middleware.find), inOrder(middleware.check)];
  const known = new Map<OperationId, OpenApiRequestMetadata>();
  for (const [template, operations] of Object.entries(document.paths))
    for (const [method, { operationId }] of Object.entries(operations)) {
      const metadata = await findMetadata(find, method.toUpperCase(), template);
      await assertValidates(check, method.toUpperCase(), metadata);
      known.set(operationId, metadata);
    }
  return (request, response, next) => {
    const { route, params } = response.locals;
    const metadata = route && known.get(route.operationId);
    if (!metadata) throw new Error('validate must run after route');
    (request as OpenApiRequest).openapi = { ...metadata, pathParams: { ...params } };
    request.params = { ...params };
    check(request, response, next);
  };
}

async function findMetadata(find: RequestHandler, method: string, path: string): Promise<OpenApiRequestMetadata> {
  const app = { param() {}, enabled: () => false };
  const request = { app, method, path, originalUrl: path, baseUrl: '' } as unknown as OpenApiRequest;
  const error = await run(find, request);
  if (error !== undefined) throw error;
  if (!request.openapi) throw new Error(`express-openapi-validator does not find ${method} ${path}`);
  return request.openapi as OpenApiRequestMetadata;
}

/** Rejects if the validation middleware accepts a query parameter that the contract does not define. */
async function assertValidates(check: RequestHandler, method: string, openapi: OpenApiRequestMetadata): Promise<void> {
  // Uses the content type of real requests, because the validator keeps one compiled schema per content type.
  const headers = openapi.schema.requestBody ? { 'content-type': 'application/json' } : {};
  const originalUrl = `${openapi.openApiRoute}?not-in-the-contract=1`;
  const query = { 'not-in-the-contract': '1' };
  const probe = { method, openapi, originalUrl, query, params: {}, headers };
  const error = await run(check, probe as unknown as OpenApiRequest);
  if (!isValidationError(error))
    throw new Error(`express-openapi-validator does not validate ${method} ${openapi.openApiRoute}`, { cause: error });
}

/** Resolves with the error that the handler passes to `next`, or undefined. */
function run(handler: RequestHandler, request: OpenApiRequest): Promise<unknown> {
  return new Promise((resolve) => void handler(request, {} as Response, resolve));
}

export function isValidationError(error: unknown): error is { errors: ValidatorFault[] } {
  return (
    error instanceof Error && error.name === 'Bad Request' && Array.isArray((error as { errors?: unknown }).errors)
  );
}
