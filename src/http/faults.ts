import type { Fault, FaultCode } from '../contract.js';
import { fault } from '../problem.js';
import {
  bodySchemaOf,
  type ContractDocument,
  type OperationObject,
  type ParameterObject,
  resolve,
  type SchemaObject,
} from './contract-document.js';

/** One error of express-openapi-validator. */
export interface ValidatorFault {
  /** `/body/sentiment` or `/query/minutes`. The last segment is not escaped. */
  readonly path: string;
  /** The JSON Schema keyword that failed, e.g. `minimum.openapi.validation`. */
  readonly errorCode?: string;
}

/**
 * Converts a validator's error to the contract's error code and text. Reads the limit from the schema at the error's
 * path.
 */
export function toFault(
  document: ContractDocument,
  operation: OperationObject,
  body: unknown,
  { path, errorCode }: ValidatorFault,
): Fault {
  const keyword = errorCode?.split('.')[0] ?? '';
  // An empty path means the body, or an unknown body key that is the empty string.
  const [, location = 'body', ...rest] = path.split('/');
  const steps = location === 'body' ? bodySteps(body, rest) : rest;
  const schema = schemaAt(document, operation, location, steps) ?? {};
  const place = location === 'body' ? { pointer: pointerOf(steps) } : { parameter: nameOf(document, operation, steps) };
  const allowed = keyword === 'enum' && schema.enum ? { allowed: [...schema.enum] } : {};
  const named = fault(codeOf(keyword, schema), { ...place, ...allowed }, String(schema[keyword]));
  const detail = keyword === 'pattern' ? schema['x-pattern-detail'] : undefined;
  return detail ? { ...named, detail } : named;
}

const codeOfKeyword: Readonly<Record<string, FaultCode>> = {
  enum: 'enum',
  additionalProperties: 'extra_forbidden',
  required: 'missing',
  minimum: 'greater_than_equal',
  maximum: 'less_than_equal',
  minLength: 'string_too_short',
  maxLength: 'string_too_long',
  minItems: 'too_few_items',
  maxItems: 'too_many_items',
  uniqueItems: 'not_unique',
  pattern: 'pattern_mismatch',
  format: 'date_time_invalid',
};
/** Keywords of a wrong type. The validator checks the type of date-times with its own keyword. */
const typeKeywords = ['type', 'x-eov-type'];
const codeOfType: Readonly<Record<string, FaultCode>> = {
  number: 'number_type',
  integer: 'integer_type',
  string: 'string_type',
  object: 'object_type',
  array: 'array_type',
};

function codeOf(keyword: string, schema: SchemaObject): FaultCode {
  return (typeKeywords.includes(keyword) ? codeOfType[schema.type ?? ''] : codeOfKeyword[keyword]) ?? 'invalid';
}

/**
 * Returns the segments of a path in the body. Does not split a body key with a slash, because the validator's path does
 * not escape slashes.
 */
function bodySteps(body: unknown, rest: readonly string[]): string[] {
  const whole = rest.join('/');
  const isKey = typeof body === 'object' && body !== null && Object.hasOwn(body, whole);
  return isKey ? [whole] : [...rest];
}

function pointerOf(steps: readonly string[]): string {
  return steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Returns the name of a parameter in the contract's spelling. Header names arrive in lower case. */
function nameOf(document: ContractDocument, operation: OperationObject, steps: readonly string[]): string {
  return parameterAt(document, operation, steps)?.name ?? steps.join('/');
}

function parameterAt(document: ContractDocument, operation: OperationObject, [step = '']: readonly string[]) {
  const parameters = operation.parameters?.map((it) => resolve(document, it));
  const isNamed = ({ name, in: place }: ParameterObject) =>
    name === step || (place === 'header' && name.toLowerCase() === step);
  return parameters?.find(isNamed);
}

function schemaAt(
  document: ContractDocument,
  operation: OperationObject,
  location: string,
  steps: readonly string[],
): SchemaObject | undefined {
  if (location !== 'body') {
    const schema = parameterAt(document, operation, steps)?.schema;
    return schema && resolve(document, schema);
  }
  const root = bodySchemaOf(operation);
  return steps.reduce<SchemaObject | undefined>(
    (at, step) => {
      const parent = at && resolve(document, at);
      const child =
        parent?.properties && Object.hasOwn(parent.properties, step) ? parent.properties[step] : parent?.items;
      return child && resolve(document, child);
    },
    root && resolve(document, root),
  );
}
