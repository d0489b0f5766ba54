import { validation } from '../../generated/spec.js';
import type { Fault, FaultCode } from './contract.js';
import { fault } from './problem.js';
import { findPart, findSimilar } from './similar.js';
import type { Definition, Parameter, Schema } from './definitions.js';

/** One error of express-openapi-validator. */
export interface ValidatorFault {
  /** `/body/sentiment` or `/query/minutes`. The last segment is not escaped. */
  readonly path: string;
  /** The JSON Schema keyword that failed, e.g. `minimum.openapi.validation`. */
  readonly errorCode?: string;
}

/**
 * Returns a value without the unknown fields and list items whose errors no response would name, and the number of
 * these fields. Validating thousands of them would take most of the time of a request.
 */
export function omitExcess(schema: Schema | undefined, value: unknown): { kept: unknown; omitted: number } {
  const properties = schema?.properties;
  if (!properties || typeof value !== 'object' || value === null || Array.isArray(value))
    return { kept: value, omitted: 0 };
  let unknown = 0;
  let hasExcess = false;
  const fields = Object.entries(value).flatMap(([name, field]): Array<[string, unknown]> => {
    const isKnown = Object.hasOwn(properties, name);
    const itemsMax = isKnown && Array.isArray(field) ? Number(properties[name]?.['maxItems']) : Infinity;
    if (!isKnown) unknown += 1;
    const isCut = Array.isArray(field) && field.length > itemsMax;
    hasExcess ||= isCut || unknown > validation.errors_max;
    if (!isKnown && unknown > validation.errors_max) return [];
    return [[name, isCut ? field.slice(0, itemsMax + 1) : field]];
  });
  if (!hasExcess) return { kept: value, omitted: 0 };
  return { kept: Object.fromEntries(fields), omitted: Math.max(0, unknown - validation.errors_max) };
}

/**
 * Converts a validator's error to the contract's error code and text. Reads the limit from the schema at the error's
 * path.
 */
export function toFault(definition: Definition, body: unknown, { path, errorCode }: ValidatorFault): Fault {
  const keyword = errorCode?.split('.')[0] ?? '';
  // An empty path means the body, or an unknown body key that is the empty string.
  const [, location = 'body', ...rest] = path.split('/');
  const isBody = location === 'body';
  const steps = isBody ? bodySteps(body, rest) : rest;
  const parameter = isBody ? undefined : findParameter(definition, steps[0] ?? '');
  const schema =
    (isBody ? findField(definition.body?.schema, steps) : findField(parameter?.schema, steps.slice(1))) ?? {};
  const place = isBody ? { pointer: toPointer(steps) } : { parameter: parameter?.name ?? steps.join('/') };
  const allowed = keyword === 'enum' && schema.enum ? { allowed: [...schema.enum] } : {};
  const similar = keyword === 'additionalProperties' ? suggest(steps, definition, isBody) : {};
  const named = fault(findCode(keyword, schema), { ...place, ...allowed, ...similar }, String(schema[keyword]));
  const detail = keyword === 'pattern' ? schema['x-pattern-detail'] : undefined;
  return detail ? { ...named, detail } : named;
}

/** Returns the known name that an unknown field or parameter probably means. */
function suggest(
  steps: readonly string[],
  { body, parameters }: Definition,
  isBody: boolean,
): Pick<Fault, 'suggestion'> {
  const parent = findField(body?.schema, steps.slice(0, -1));
  const known = isBody ? Object.keys(parent?.properties ?? {}) : parameters.map(({ name }) => name);
  return suggestName(steps.at(-1) ?? '', known);
}

/** Returns the name that an unknown name probably means, as a part of its validation error. */
export function suggestName(name: string, known: readonly string[]): Pick<Fault, 'suggestion'> {
  const suggestion = findSimilar(name, known) ?? findPart(name, known);
  return suggestion === undefined ? {} : { suggestion };
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
  boolean: 'boolean_type',
};

function findCode(keyword: string, schema: Schema): FaultCode {
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

function toPointer(steps: readonly string[]): string {
  return steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Finds a parameter. Header names arrive in lower case. */
function findParameter({ parameters }: Definition, step: string): Parameter | undefined {
  return parameters.find((it) => it.name === step || (it.in === 'header' && it.name.toLowerCase() === step));
}

function findField(schema: Schema | undefined, steps: readonly string[]): Schema | undefined {
  return steps.reduce((parent, step) => {
    const { properties = {}, items } = parent ?? {};
    return Object.hasOwn(properties, step) ? properties[step] : items;
  }, schema);
}
