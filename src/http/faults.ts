import type { Fault, FaultCode } from '../contract.js';
import { fault } from '../problem.js';
import {
  type ContractDocument,
  type OperationObject,
  type ParameterObject,
  resolve,
  type SchemaObject,
} from './contract-document.js';

/** One fault as express-openapi-validator reports it. */
export interface ValidatorFault {
  /** `/body/sentiment` or `/query/minutes`; the last step is not escaped. */
  readonly path: string;
  /** The JSON Schema keyword that failed, as in `minimum.openapi.validation`. */
  readonly errorCode?: string;
}

/** Names a validator's fault by the contract's code and wording; the bound is read from the schema at its place. */
export function toFault(
  document: ContractDocument,
  operation: OperationObject,
  body: unknown,
  { path, errorCode }: ValidatorFault,
): Fault {
  const keyword = errorCode?.split('.')[0] ?? '';
  // An unknown key that is empty leaves the validator's path empty too.
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
/** The validator checks the type of date-times by a keyword of its own. */
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

/** A key of the body may itself hold a slash, which the validator's path does not tell from a step. */
function bodySteps(body: unknown, rest: readonly string[]): string[] {
  const whole = rest.join('/');
  const isKey = typeof body === 'object' && body !== null && Object.hasOwn(body, whole);
  return isKey ? [whole] : [...rest];
}

function pointerOf(steps: readonly string[]): string {
  return steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** As the contract writes it: the validator sees names of headers in lower case. */
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
  const root = operation.requestBody?.content['application/json']?.schema;
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
