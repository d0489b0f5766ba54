import { Ajv, type ValidateFunction } from 'ajv';
import addFormatsModule from 'ajv-formats';
import contract from '../../generated/openapi.json' with { type: 'json' };

// The package is CommonJS and types its default export one level too high.
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;

interface ResponseObject {
  $ref?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, { schema: object }>;
}

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema(contract, 'contract');
const compiled = new Map<string, ValidateFunction>();

/** Throws unless the contract documents this answer: its status, its headers, its media type and its body. */
export function assertConforms(method: string, path: string, answer: Response, body: unknown): void {
  const operation = methodsAt(path)?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
  const pointer = operation ? documented(path, method, operation.responses, answer) : '/components/schemas/Problem';
  if (!answer.headers.get('x-request-id')) throw new Error('X-Request-Id is missing');
  if (method === 'HEAD') return;
  const validate = compile(pointer);
  if (!validate(body)) throw new Error(`${method} ${path} ${answer.status}: ${ajv.errorsText(validate.errors)}`);
}

/** The place of the schema of a documented answer; 405 and unknown paths belong to no operation and are problems. */
function documented(path: string, method: string, responses: object, answer: Response): string {
  const declared = (responses as Record<string, ResponseObject>)[String(answer.status)];
  if (!declared) throw new Error(`${method} ${path}: status ${answer.status} is not documented`);
  const response = declared.$ref ? follow(declared.$ref) : declared;
  for (const header of Object.keys(response.headers ?? {}))
    if (!answer.headers.has(header)) throw new Error(`${method} ${path} ${answer.status}: no header ${header}`);
  const mediaType = answer.headers.get('content-type')?.split(';')[0] ?? '';
  const media = response.content?.[mediaType];
  if (!media) throw new Error(`${method} ${path} ${answer.status}: media type ${mediaType} is not documented`);
  return (media.schema as { $ref: string }).$ref.slice(1);
}

/** A step of the path in braces stands for any name. */
function methodsAt(path: string): Record<string, { responses: object }> | undefined {
  const isMatch = ([template]: [string, unknown]) =>
    new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(path);
  const found = Object.entries(contract.paths).find(isMatch);
  return found?.[1] as Record<string, { responses: object }> | undefined;
}

function compile(pointer: string): ValidateFunction {
  const known = compiled.get(pointer) ?? ajv.compile({ $ref: `contract#${pointer}` });
  compiled.set(pointer, known);
  return known;
}

function follow(ref: string): ResponseObject {
  const steps = ref.slice(2).split('/');
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], contract) as ResponseObject;
}
