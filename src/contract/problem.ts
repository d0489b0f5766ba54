import { faults, hints, problems, problemTypePrefix, validation } from '../../generated/spec.js';
import type { Fault, FaultCode, ProblemCode, Schema } from './contract.js';
import type { Definition, Parameter, Schema as SchemaObject } from './definitions.js';
import { findContainedName, findSimilar } from './similar.js';

type Values = Readonly<Record<string, string>>;

export interface ProblemOptions {
  readonly cause?: unknown;
  readonly faults?: readonly Fault[] | undefined;
  /** Number of validation errors that `faults` does not contain. */
  readonly omitted?: number;
  /** Fills the placeholders of the contract's detail, e.g. `{scope}`. */
  readonly values?: Values;
  /** Appends the contract's explanation and fills its placeholders. */
  readonly explanation?: Values;
  /** The next step, from `createHint`. */
  readonly hint?: string | undefined;
  /** Where the body stops being JSON (invalid_payload only). */
  readonly position?: Schema<'JsonPosition'>;
  /** The most that a timestamp may be old (timestamp_too_old and feedback_too_old only). */
  readonly maxAgeSeconds?: number | undefined;
  /** The complete detail, e.g. of a problem that comes from another thread. */
  readonly detail?: string;
  /** Value of the Retry-After header, if the contract documents one. */
  readonly retryAfterSeconds?: number | undefined;
}

/**
 * An error of the contract. `cause` is only logged and never sent. `faults` lists the first validation errors (422
 * only).
 */
export class ProblemError extends Error {
  readonly code: ProblemCode;
  readonly faults: readonly Fault[] | undefined;
  readonly omitted: number;
  readonly retryAfterSeconds: number | undefined;
  readonly position: Schema<'JsonPosition'> | undefined;
  readonly hint: string | undefined;
  readonly maxAgeSeconds: number | undefined;

  constructor(code: ProblemCode, options: ProblemOptions = {}) {
    super(options.detail ?? describeProblem(code, options), { cause: options.cause });
    this.code = code;
    this.faults = options.faults?.slice(0, validation.errors_max);
    this.omitted = (options.omitted ?? 0) + (options.faults?.length ?? 0) - (this.faults?.length ?? 0);
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.position = options.position;
    this.hint = options.hint;
    this.maxAgeSeconds = options.maxAgeSeconds;
  }

  get status(): number {
    return problems[this.code].status;
  }

  /** Returns the body of the response (RFC 9457). `detail` is that of the first validation error, if there is one. */
  toBody(requestId: string): Schema<'Problem'> | Schema<'ValidationProblem'> {
    const { status, title } = problems[this.code];
    const type = problemTypePrefix + this.code;
    const body = { type, title, status, detail: this.faults?.[0]?.detail ?? this.message, code: this.code };
    const { faults, omitted, position, hint, maxAgeSeconds: age } = this;
    const named = { ...(faults && { errors: [...faults] }), ...(omitted > 0 && { errors_omitted: omitted }) };
    const others = { ...(position && { position }), ...(hint && { hint }), ...(age && { max_age_seconds: age }) };
    return { ...body, request_id: requestId, ...named, ...others };
  }
}

/** Where a request has a validation error. */
export type Place = Pick<Fault, 'pointer' | 'parameter' | 'allowed' | 'suggestion'>;

/**
 * Returns a validation error with the contract's text. `limit` replaces the placeholder `{limit}` of the text.
 */
export function createFault(code: FaultCode, place: Place, limit?: string): Fault {
  return { detail: faults[code].detail.replace('{limit}', limit ?? ''), code, ...place };
}

/** Returns the error of a request with one validation error. */
export function createValidationError(code: FaultCode, place: Place, limit?: string): ProblemError {
  return new ProblemError('validation_failed', { faults: [createFault(code, place, limit)] });
}

/** Returns the error of a request that names both a session and a person, where at most one of them is allowed. */
export function createBothNamedFault(place: Place): Fault {
  const detail = faults.exclusive.optional_detail.replace('{limit}', 'session_id and subject_id');
  return { ...createFault('exclusive', place), detail };
}

/** Returns the text of a hint. Agents read it as an instruction, so no value may be a text of the caller. */
export function createHint(name: keyof typeof hints, values?: Values): string {
  return fill(hints[name], values);
}

function describeProblem(code: ProblemCode, { values, explanation }: ProblemOptions): string {
  const problem: { readonly detail: string; readonly explanation?: string } = problems[code];
  const detail = fill(problem.detail, values);
  return explanation && problem.explanation ? `${detail}: ${fill(problem.explanation, explanation)}` : detail;
}

function fill(detail: string, values: Values = {}): string {
  return Object.entries(values).reduce((text, [name, value]) => text.replaceAll(`{${name}}`, value), detail);
}

/** One error of express-openapi-validator. */
export interface ValidatorFault {
  /** Path of the invalid value, e.g. `/body/sentiment`. A `/` in the last segment is not escaped. */
  readonly path: string;
  /** The JSON Schema keyword that failed, e.g. `minimum.openapi.validation`. */
  readonly errorCode?: string;
}

/**
 * Returns a value without the unknown fields and list items whose errors no response would name, and the number of
 * these fields. Validating thousands of them would take most of the time of a request.
 */
export function omitExcess(schema: SchemaObject | undefined, value: unknown): { kept: unknown; omitted: number } {
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
  const named = createFault(findCode(keyword, schema), { ...place, ...allowed, ...similar }, String(schema[keyword]));
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
  const suggestion = findSimilar(name, known) ?? findContainedName(name, known);
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

function findCode(keyword: string, schema: SchemaObject): FaultCode {
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

function findField(schema: SchemaObject | undefined, steps: readonly string[]): SchemaObject | undefined {
  return steps.reduce((parent, step) => {
    const { properties = {}, items } = parent ?? {};
    return Object.hasOwn(properties, step) ? properties[step] : items;
  }, schema);
}
