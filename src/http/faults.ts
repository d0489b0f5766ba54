import type { ErrorObject } from 'ajv';
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

/**
 * Converts an error of JSON Schema to the contract's error code and text. Reads the limit from the schema at the error's
 * path.
 */
export function toFault(
  document: ContractDocument,
  operation: OperationObject,
  { instancePath, keyword, params }: ErrorObject,
): Fault {
  const { missingProperty, additionalProperty } = params as Readonly<Record<string, string | undefined>>;
  const named = missingProperty ?? additionalProperty;
  const [location = '', ...steps] = [...stepsOf(instancePath), ...(named === undefined ? [] : [named])];
  const schema = schemaAt(document, operation, location, steps) ?? {};
  const place = location === 'body' ? { pointer: pointerOf(steps) } : { parameter: nameOf(document, operation, steps) };
  const allowed = keyword === 'enum' && schema.enum ? { allowed: [...schema.enum] } : {};
  const found = fault(codeOf(keyword, schema), { ...place, ...allowed }, String(schema[keyword]));
  const detail = keyword === 'pattern' ? schema['x-pattern-detail'] : undefined;
  return detail ? { ...found, detail } : found;
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
const codeOfType: Readonly<Record<string, FaultCode>> = {
  number: 'number_type',
  integer: 'integer_type',
  string: 'string_type',
  object: 'object_type',
  array: 'array_type',
};

function codeOf(keyword: string, schema: SchemaObject): FaultCode {
  return (keyword === 'type' ? codeOfType[schema.type ?? ''] : codeOfKeyword[keyword]) ?? 'invalid';
}

/** Returns the unescaped segments of a JSON Pointer (RFC 6901). */
function stepsOf(pointer: string): string[] {
  const [, ...steps] = pointer.split('/');
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
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
