import { closed } from '../../testkit/closed.js';
import { type JsonSchema, type OpenApiSchema, toJsonSchema } from './json-schema.js';
import { type Reference, resolve } from '../../testkit/reference.js';

/** The parts of an OpenAPI document that describe responses. */
export interface ContractDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
}

interface OperationObject {
  readonly operationId: string;
  readonly security?: readonly unknown[];
  readonly responses: Readonly<Record<string, Reference | ResponseObject>>;
}

interface ResponseObject {
  readonly headers?: Readonly<Record<string, Reference | { readonly required?: boolean }>>;
  readonly content?: Readonly<Record<string, { readonly schema: OpenApiSchema }>>;
}

/** One documented pair of operation and status. */
export interface DocumentedAnswer {
  readonly operationId: string;
  readonly status: string;
  readonly needsKey: boolean;
  /** Names of the required headers. */
  readonly headers: readonly string[];
  /** Media type and schema of the body. Absent if the response has no body. */
  readonly body?: { readonly mediaType: string; readonly schema: JsonSchema };
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** Returns the name of a pair, e.g. `POST /v1/ingest 200`. */
export function pairOf(method: string, path: string, status: string): string {
  return `${method.toUpperCase()} ${path} ${status}`;
}

/**
 * Returns every documented response by the name of its pair, in the order of the contract. Its schemas allow no
 * undocumented field.
 */
export function documentedAnswers(published: ContractDocument): ReadonlyMap<string, DocumentedAnswer> {
  const contract = closed(published);
  const answers = new Map<string, DocumentedAnswer>();
  for (const [path, item] of Object.entries(contract.paths))
    for (const [method, operation] of Object.entries(item).filter(([name]) => methods.includes(name)))
      for (const status of Object.keys(operation.responses))
        answers.set(pairOf(method, path, status), answerOf(contract, operation, status));
  return answers;
}

function answerOf(contract: ContractDocument, operation: OperationObject, status: string): DocumentedAnswer {
  const { headers = {}, content = {} } = resolve<ResponseObject>(contract, operation.responses[status]);
  // The first media type is the default. Other formats of an operation have their own tests.
  const [body] = Object.entries(content);
  const required = Object.entries(headers).filter(([, it]) => resolve<{ required?: boolean }>(contract, it).required);
  return {
    operationId: operation.operationId,
    status,
    needsKey: operation.security?.length !== 0,
    headers: required.map(([name]) => name),
    ...(body && { body: { mediaType: body[0], schema: toJsonSchema(contract, body[1].schema) } }),
  };
}
