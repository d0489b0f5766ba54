import { Ajv, type ValidateFunction } from 'ajv';
import addFormatsModule from 'ajv-formats';
import contract from '../generated/openapi.json' with { type: 'json' };
import { closed } from './closed.js';

// The package is CommonJS and types its default export one level too high.
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;

interface ResponseObject {
  $ref?: string;
  headers?: Record<string, { $ref?: string; required?: boolean }>;
  content?: Record<string, { schema: object }>;
}

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema(closed(contract), 'contract');
/** Status of requests whose path may not have arrived. */
const beforeAnyOperation = 408;
const compiled = new Map<string, ValidateFunction>();

/** Throws unless the contract documents this response: status, headers, media type and body. */
export function assertConforms(method: string, path: string, answer: Response, body: unknown): void {
  const operation = methodsAt(path)?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
  const belongs = operation && answer.status !== beforeAnyOperation;
  const pointer = belongs ? documented(path, method, operation.responses, answer) : '/components/schemas/Problem';
  if (!answer.headers.get('x-request-id')) throw new Error('X-Request-Id is missing');
  if (method === 'HEAD') return;
  if (pointer === undefined) return assertEmpty(body);
  const validate = compile(pointer);
  if (!validate(body)) throw new Error(`${method} ${path} ${answer.status}: ${ajv.errorsText(validate.errors)}`);
}

/** Returns the errors of the value against a schema of the contract, as text. Empty if the value is valid. */
export function faultsAgainst(schemaName: string, value: unknown): string {
  const validate = compile(`/components/schemas/${schemaName}`);
  return validate(value) ? '' : ajv.errorsText(validate.errors);
}

function assertEmpty(body: unknown): void {
  if (body !== undefined) throw new Error(`the response has an undocumented body: ${JSON.stringify(body)}`);
}

/**
 * Returns the location of the schema of a documented response. Undefined if the response has no body. Responses with
 * 405 and responses on unknown paths belong to no operation. Their schema is that of a problem.
 */
function documented(path: string, method: string, responses: object, answer: Response): string | undefined {
  const declared = (responses as Record<string, ResponseObject>)[String(answer.status)];
  if (!declared) throw new Error(`${method} ${path}: status ${answer.status} is not documented`);
  const response = declared.$ref ? follow<ResponseObject>(declared.$ref) : declared;
  for (const [header, it] of Object.entries(response.headers ?? {}))
    if (isRequired(it) && !answer.headers.has(header))
      throw new Error(`${method} ${path} ${answer.status}: no header ${header}`);
  if (!response.content) return undefined;
  const mediaType = answer.headers.get('content-type')?.split(';')[0] ?? '';
  const media = response.content[mediaType];
  if (!media) throw new Error(`${method} ${path} ${answer.status}: media type ${mediaType} is not documented`);
  return (media.schema as { $ref: string }).$ref.slice(1);
}

function isRequired({ $ref, required }: { $ref?: string; required?: boolean }): boolean {
  return $ref ? isRequired(follow($ref)) : required === true;
}

const templates = Object.entries(contract.paths).map(([template, methods]) => {
  return { pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`), methods };
});

/** Returns the operations at a path. A template segment in braces matches any text. */
function methodsAt(path: string): Record<string, { responses: object }> | undefined {
  const found = contract.paths[path as never] ?? templates.find(({ pattern }) => pattern.test(path))?.methods;
  return found as Record<string, { responses: object }> | undefined;
}

function compile(pointer: string): ValidateFunction {
  const known = compiled.get(pointer) ?? ajv.compile({ $ref: `contract#${pointer}` });
  compiled.set(pointer, known);
  return known;
}

function follow<T extends object>(ref: string): T {
  const steps = ref.slice(2).split('/');
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], contract) as T;
}
