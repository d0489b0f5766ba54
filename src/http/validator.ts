import type { Request, RequestHandler, Response } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import type { OperationId } from '../contract/contract.js';
import { type Definition, definitions, type Schema } from '../contract/definitions.js';
import type { ValidatorFault } from '../contract/problem.js';

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
export type FindErrors = (definition: Definition, parts: RequestParts) => Promise<readonly ValidatorFault[]>;

type Options = Parameters<typeof OpenApiValidator.middleware>[0];

/**
 * Returns the middleware of the validator. Its last step validates the request, because the steps that would follow are
 * turned off. `createFindErrors` checks this at the first request of each operation.
 */
export function createMiddleware() {
  const all = OpenApiValidator.middleware({
    apiSpec: requestContract() as Options['apiSpec'],
    // The linters check the contract.
    validateApiSpec: false,
    validateSecurity: false,
    validateRequests: { allErrors: true, coerceTypes: false },
    validateResponses: false,
    ajvFormats: { mode: 'full' },
    fileUploader: false,
  }) as unknown as RequestHandler[];
  return {
    /** Steps that set `request.openapi` to the operation of the path. */
    find: all.slice(0, -1),
    /** Validate the request against `request.openapi`. */
    check: all.slice(-1),
  };
}

/** `request.openapi` of an operation. */
interface Metadata {
  readonly openApiRoute: string;
}

/**
 * Returns a function that validates requests of known operations. The validator would compile and try each path again
 * per request. This function finds an operation at its first request, and the validator then compiles its schema.
 *
 * Rejects if the validator cannot read the contract or does not find the first operation. A first request rejects if the
 * validator does not find its operation or does not validate it.
 */
export async function createFindErrors(middleware = createMiddleware()): Promise<FindErrors> {
  const { find, check } = middleware;
  const known = new Map<OperationId, Promise<Metadata>>();
  const validate = async ({ method }: Definition, metadata: Metadata, parts: RequestParts) => {
    const openapi = { ...metadata, pathParams: parts.params };
    const error = await run(check, { ...parts, method, originalUrl: metadata.openApiRoute, openapi });
    if (error === undefined) return [];
    if (isValidationError(error)) return error.errors;
    throw error;
  };
  const prepare = async (definition: Definition): Promise<Metadata> => {
    const metadata = await findMetadata(find, definition);
    if (!definition.body) return metadata;
    // No schema of the contract allows null.
    const headers = { 'content-type': definition.body.mediaType };
    const errors = await validate(definition, metadata, { query: {}, headers, params: {}, body: null });
    if (errors.length > 0) return metadata;
    throw new Error(`express-openapi-validator does not validate ${definition.operationId}`);
  };
  const [first] = definitions;
  if (first) await findMetadata(find, first);
  return async (definition, parts) => {
    const preparing = known.get(definition.operationId) ?? prepare(definition);
    known.set(definition.operationId, preparing);
    return validate(definition, await preparing, parts);
  };
}

async function findMetadata(
  find: readonly RequestHandler[],
  { method, template: path }: Definition,
): Promise<Metadata> {
  const app = { param() {}, enabled: () => false };
  const request = { app, method, path, originalUrl: path, baseUrl: '', openapi: undefined as Metadata | undefined };
  const error = await run(find, request);
  if (error !== undefined) throw error;
  if (!request.openapi) throw new Error(`express-openapi-validator does not find ${method} ${path}`);
  return request.openapi;
}

/** Runs handlers in order. Resolves with the error that a handler passes to `next`, or undefined. */
async function run(handlers: readonly RequestHandler[], request: object): Promise<unknown> {
  for (const handler of handlers) {
    const error = await new Promise((resolve) => void handler(request as Request, {} as Response, resolve));
    if (error !== undefined) return error;
  }
  return undefined;
}

function isValidationError(error: unknown): error is { errors: ValidatorFault[] } {
  return (
    error instanceof Error && error.name === 'Bad Request' && Array.isArray((error as { errors?: unknown }).errors)
  );
}

/** Keywords that describe a schema and validate nothing. */
const annotations = ['description', 'title', 'deprecated'];

/**
 * Returns the part of the contract that describes requests, as an OpenAPI document. The validator adds the whole
 * document to the schema of each operation, so a small document saves CPU time and memory.
 */
function requestContract(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const definition of definitions)
    (paths[definition.template] ??= {})[definition.method.toLowerCase()] = describeRequest(definition);
  return { openapi: '3.0.3', info: { title: '', version: '' }, paths };
}

function describeRequest({ operationId, parameters, body }: Definition): object {
  const content = body && { [body.mediaType]: { schema: findSchema(body.schema) } };
  return {
    operationId,
    parameters: parameters.map(({ schema, ...rest }) => ({ ...rest, schema: findSchema(schema) })),
    ...(content && { requestBody: { required: true, content } }),
    responses: {},
  };
}

/**
 * Returns a schema with each `x-pattern` replaced by a `pattern`. The published contract has no `pattern` next to
 * `format: date-time`, because generators apply the pattern to their date type, which fails.
 */
export function findSchema({ properties = {}, items, 'x-pattern': pattern, ...rest }: Schema): object {
  const keywords = Object.entries(rest).filter(([name]) => !name.startsWith('x-') && !annotations.includes(name));
  const fields = Object.entries(properties).map(([name, schema]) => [name, findSchema(schema)] as const);
  return {
    ...Object.fromEntries(keywords),
    ...(pattern !== undefined && { pattern }),
    ...(items && { items: findSchema(items) }),
    ...(fields.length > 0 && { properties: Object.fromEntries(fields) }),
  };
}
