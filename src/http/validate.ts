import { faults as texts } from '../../generated/spec.js';
import type { Fault } from '../contract/contract.js';
import type { Definition } from '../contract/definitions.js';
import {
  createFault,
  omitExcess,
  ProblemError,
  suggestName,
  toFault,
  type ValidatorFault,
} from '../contract/problem.js';
import { createIsValidBody } from './body-check.js';
import type { Exchange, Step } from './exchange.js';
import { createFindErrors, type RequestParts } from './validator.js';

/** The compiled schemas. They depend on the contract only, so the services of a process share them. */
let compiled: ReturnType<typeof createFindErrors> | undefined;

/** Returns functions that validate against the contract. Rejects when the validator cannot use the contract. */
export async function createValidation() {
  const findErrors = await (compiled ??= createFindErrors());
  const isValidBody = createIsValidBody();

  async function check(definition: Definition, parts: RequestParts, known: readonly Fault[]): Promise<void> {
    const { kept: body, omitted } = omitExcess(definition.body?.schema, parts.body);
    const errors = (await findErrors(definition, { ...parts, body })).filter(isNotImplied);
    const found = errors.map((it) => toFault(definition, body, it));
    const isNew = ({ parameter }: Fault) => parameter === undefined || !known.some((it) => it.parameter === parameter);
    const faults = [...known, ...found.filter(isNew), ...faultsAcrossFields(definition, parts.body)];
    if (faults.length > 0) throw new ProblemError('validation_failed', { faults, omitted });
  }

  return {
    /**
     * Validates a request. Reports the validation errors in one response (422). Replaces the query by the validated
     * parameters, with the contract's defaults.
     */
    validateRequest:
      (definition: Definition): Step =>
      (exchange) => {
        const { query, faults } = readQuery(definition, exchange);
        faults.push(...findExclusive(definition, query, faults));
        exchange.query = query;
        const { headers, params, body } = exchange;
        return check(definition, { query, headers, params, body }, faults);
      },
    /**
     * Validates a value in the same way as a body of the operation. Rejects with a ProblemError that has all validation
     * errors: `faults`, which are already known, and those of the body.
     */
    async validateBody(definition: Definition, body: unknown, faults: readonly Fault[]): Promise<void> {
      // Nearly all readings are valid. The validator, which takes seven times as long, lists the errors of the others.
      const isValid = faults.length === 0 && isValidBody(definition, body);
      if (isValid && faultsAcrossFields(definition, body).length === 0) return;
      const headers = { 'content-type': definition.body?.mediaType };
      await check(definition, { query: {}, headers, params: {}, body }, faults);
    },
  };
}

/** A date-time in another notation is not also a wrong date. Rules across fields (`not`) have errors that name the field. */
function isNotImplied({ path, errorCode }: ValidatorFault, _: number, all: readonly ValidatorFault[]): boolean {
  if (errorCode?.startsWith('not.')) return false;
  const isFormat = errorCode?.startsWith('format') === true;
  return !isFormat || !all.some((it) => it.path === path && it.errorCode?.startsWith('pattern'));
}

/**
 * Checks rules across several fields, which OpenAPI 3.0 cannot express. The contract defines them as `x-required-with`
 * and `x-one-of-fields`. `x-missing-field` is the field that the error of a body without any of these names.
 */
function faultsAcrossFields({ body: content }: Definition, body: unknown): Fault[] {
  if (!content || typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  const { 'x-required-with': pair, 'x-one-of-fields': group, 'x-missing-field': first } = content.schema;
  const has = (field: string) => Object.hasOwn(body, field);
  const isAlone = pair?.fields.every(has) && !has(pair.required);
  let sent = 0;
  for (const field of group ?? []) if (has(field)) sent += 1;
  const isAmbiguous = group && sent !== 1;
  const isMissing = isAmbiguous && sent === 0 && first !== undefined;
  return [
    ...(isMissing ? [createFault('missing', { pointer: `/${first}` })] : []),
    ...(isAmbiguous && !isMissing ? [createFault('exclusive', { pointer: '' }, group.join(' and '))] : []),
    ...(pair && isAlone ? [createFault('missing', { pointer: `/${pair.required}` })] : []),
  ];
}

/** Checks the parameters of which only one is allowed (`x-exclusive-parameters`). */
function findExclusive({ exclusive }: Definition, query: object, known: readonly Fault[]): Fault[] {
  if (!exclusive) return [];
  const { names, required = false } = exclusive;
  const isSent = (name: string) => name in query || known.some(({ parameter }) => parameter === name);
  const [first, second] = names.filter(isSent);
  if (first === undefined && required) {
    const detail = texts.missing.choice_detail.replace('{limit}', names.join(' or '));
    return [{ ...createFault('missing', { parameter: names[0] ?? '' }), detail }];
  }
  if (second === undefined) return [];
  const { detail, optional_detail } = texts.exclusive;
  const text = (required ? detail : optional_detail).replace('{limit}', names.join(' and '));
  return [{ ...createFault('exclusive', { parameter: second }), detail: text }];
}

type QueryValue = string | number | readonly string[];

interface ReadQuery {
  /** The parameters without an error in `faults`, by name. Integers are converted to numbers, and lists to arrays. */
  readonly query: Readonly<Record<string, QueryValue>>;
  /** Unknown, repeated and empty parameters, and values that are not an integer. */
  readonly faults: Fault[];
}

/**
 * Reads the query, and the headers that stand for one of its parameters. The values are not yet validated against their
 * schemas, except for the type.
 */
export function readQuery(definition: Definition, exchange: Exchange): ReadQuery {
  const query: Record<string, QueryValue> = {};
  const faults: Fault[] = [];
  const sentByHeader = definition.parameters.flatMap(({ name, 'x-header': header }) => {
    const sent = header && exchange.headers[header.toLowerCase()];
    return sent ? [[name, String(sent)] as const] : [];
  });
  const sentByQuery = joinLists(definition, exchange.query as Sent);
  for (const [name, sent] of Object.entries({ ...sentByQuery, ...Object.fromEntries(sentByHeader) })) {
    const value = readValue(definition, name, sent);
    if (value === undefined) continue;
    if (typeof value === 'object' && 'code' in value) faults.push(value);
    else query[name] = value;
  }
  return { query, faults };
}

type Sent = Readonly<Record<string, string | string[]>>;

/** Joins the values of a list whose name has brackets, as PHP and Ruby write it: `state[]` or `state[0]`. */
function joinLists({ parameters }: Definition, sent: Sent): Sent {
  if (!Object.keys(sent).some((it) => it.endsWith(']'))) return sent;
  const isList = (name: string) => parameters.some((it) => it.in === 'query' && it.name === name && isArray(it));
  const joined = new Map<string, string | string[]>();
  for (const [name, value] of Object.entries(sent)) {
    const plain = name.replace(/\[\d{0,3}\]$/, '');
    const key = isList(plain) ? plain : name;
    joined.set(key, joined.has(key) ? [joined.get(key) ?? [], value].flat() : value);
  }
  return Object.fromEntries(joined);
}

function isArray({ schema }: Definition['parameters'][number]): boolean {
  return schema.type === 'array';
}

/** Returns undefined for an empty value if the contract allows one: then it means that the parameter was not sent. */
function readValue(
  { parameters }: Definition,
  parameter: string,
  value: string | string[],
): QueryValue | Fault | undefined {
  const known = parameters.filter((it) => it.in === 'query');
  const declared = known.find(({ name }) => name === parameter);
  const names = known.map(({ name }) => name);
  if (!declared) return createFault('extra_forbidden', { parameter, ...suggestName(parameter, names) });
  const { type, format, minLength = 1 } = declared.schema;
  // Some clients repeat the parameter, others separate its values by commas.
  if (type === 'array') return [value].flat().flatMap((it) => it.split(','));
  if (Array.isArray(value)) return createFault('repeated', { parameter });
  if (type === 'integer')
    return /^-?\d{1,15}$/.test(value) ? Number(value) : createFault('integer_type', { parameter });
  // Dashboards write times of a query as epoch ms.
  if (format === 'date-time' && /^\d{12,13}$/.test(value)) return new Date(Number(value)).toISOString();
  if (value === '')
    return minLength === 0 ? undefined : createFault('string_too_short', { parameter }, String(minLength));
  return value;
}
