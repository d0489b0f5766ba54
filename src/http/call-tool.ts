import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { problemHelp } from '../../generated/spec.js';
import type { Fault, ProblemCode, Schema } from '../contract/contract.js';
import type { Definition } from '../contract/definitions.js';
import { omitExcess, ProblemError, toFault } from '../contract/problem.js';
import { readArguments, type Tool } from './tools.js';

export interface OperationRequest {
  readonly definition: Definition;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface OperationResponse {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: unknown;
}

/** Sends a request with the caller's key. Rejects when the service does not respond. */
export type SendRequest = (request: OperationRequest) => Promise<OperationResponse>;

export interface ToolResult {
  readonly content: Array<{ type: 'text'; text: string }>;
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
  readonly [key: string]: unknown;
}

type Arguments = Readonly<Record<string, unknown>>;
type AnyProblem = Schema<'Problem'> & Partial<Schema<'ValidationProblem'> & Schema<'RateLimitProblem'>>;

/**
 * Runs a tool. Invalid arguments and errors of the service become a result that tells the agent what to do. The protocol
 * demands a result instead of a protocol error, because a model does not see protocol errors (SEP-1303).
 */
export async function callTool(tool: Tool, sent: Arguments, send: SendRequest, now: () => number): Promise<ToolResult> {
  const validate = findValidator(tool);
  const schema = validate.schema as Convertible & Parameters<typeof omitExcess>[0];
  const { kept, omitted } = omitExcess(schema, convertTexts(schema, omitEmpty(schema, sent)));
  const args = kept as Arguments;
  const faults = findFaults(tool, validate, args);
  if (faults.length > 0)
    return failure(new ProblemError('validation_failed', { faults, omitted }).toBody('none'), undefined);
  const { status, body, retryAfter } = await send(toRequest(tool, args, now));
  return status < 300 ? success(tool, args, body as Record<string, unknown>) : failure(body as AnyProblem, retryAfter);
}

/** A schema of a tool, as far as it decides about the conversion of texts. */
interface Convertible {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Convertible>>;
  readonly items?: Convertible;
}

/**
 * Returns the arguments without those that are null or empty texts, as some agents send them for arguments that they do
 * not use. An id remains, because without it a call concerns more people: only null is omitted, and only beside another
 * id.
 */
function omitEmpty({ properties = {} }: Convertible, args: Arguments): Arguments {
  const isId = (name: string) => name.endsWith('_id');
  const isOther = (name: string) => isId(name) && args[name] !== null;
  const namesOne = Object.keys(args).some(isOther);
  const isEmpty = ([name, value]: [string, unknown]) =>
    Object.hasOwn(properties, name) && (isId(name) ? value === null && namesOne : value === null || value === '');
  return Object.fromEntries(Object.entries(args).filter((it) => !isEmpty(it)));
}

/** A number, a boolean or the start and end of an array, as JSON. */
const convertible = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|\[[^]*\])$/;

/**
 * Converts each string that is exactly a JSON number, boolean or array where the schema expects one. Some agents send all
 * arguments as strings and cannot correct themselves.
 */
function convertTexts(schema: Convertible, value: unknown): unknown {
  const { type = '', properties = {}, items } = schema;
  if (Array.isArray(value)) return items ? value.map((it) => convertTexts(items, it)) : value;
  if (typeof value === 'object' && value !== null && type === 'object')
    return Object.fromEntries(
      Object.entries(value).map(([name, it]) => [name, convertTexts(properties[name] ?? {}, it)]),
    );
  if (typeof value !== 'string' || !convertible.test(value)) return value;
  const read = parseJson(value);
  if (Array.isArray(read)) return type === 'array' ? convertTexts(schema, read) : value;
  const isExpected = typeof read === (type === 'integer' ? 'number' : type);
  return isExpected && Number.isFinite(Number(read)) ? read : value;
}

/** Returns undefined for a text that is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Formats are off, because the service checks them. Unknown keywords are allowed: the contract has its own. */
const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false });
const validators = new WeakMap<Tool, ValidateFunction>();

function findValidator(tool: Tool): ValidateFunction {
  const validate = validators.get(tool) ?? ajv.compile(readArguments(tool.definition));
  validators.set(tool, validate);
  return validate;
}

/**
 * Validates the arguments against the contract. A request would otherwise contain null, numbers and arrays
 * as text: the query and the path have strings only.
 */
function findFaults(tool: Tool, validate: ValidateFunction, args: Arguments): Fault[] {
  validate(args);
  const part = tool.definition.body ? '/body' : '/query';
  return (validate.errors ?? []).map((it) =>
    toFault(tool.definition, args, { path: part + readPath(it), errorCode: it.keyword }),
  );
}

/** Returns the path of an error. The path of a missing or unknown argument contains its name. */
function readPath({ instancePath, params }: ErrorObject): string {
  const name: string | undefined = params['missingProperty'] ?? params['additionalProperty'];
  return name === undefined ? instancePath : `${instancePath}/${name}`;
}

function toRequest({ definition }: Tool, args: Arguments, now: () => number): OperationRequest {
  const { parameters, body } = definition;
  if (body) return { definition, params: {}, query: {}, body: { timestamp: new Date(now()).toISOString(), ...args } };
  const pick = (isInPath: boolean) =>
    Object.fromEntries(
      Object.entries(args)
        .filter(([name]) => parameters.some((it) => it.in === 'path' && it.name === name) === isInPath)
        .map(([name, value]) => [name, toText(value)]),
    );
  return { definition, params: pick(true), query: pick(false) };
}

function toText(value: unknown): string {
  if (Array.isArray(value)) return value.map(toText).join(',');
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Fields whose texts clients choose. A model could take such a text for an instruction. */
const chosenNames = ['session_id', 'subject_id', 'source_device', 'purposes', 'record_id'];
/** Ids without markup, quotes and brackets. */
export const plainId = /^[\w.:@~+=/-]{1,128}$/;

/**
 * Returns a result. The leading fields come first, so that an agent that reads only the start knows what to do. Of the
 * texts that clients chose, the text of the result contains arguments of this call and, in a list of ids, plain ids.
 */
function success({ leading = [], listsIds }: Tool, args: Arguments, body: Record<string, unknown>): ToolResult {
  const first = Object.fromEntries(leading.filter((name) => name in body).map((name) => [name, body[name]]));
  const structuredContent = { ...first, ...body };
  const isSafe = (it: unknown) => Object.values(args).includes(it) || (listsIds && plainId.test(String(it)));
  const text = JSON.stringify(structuredContent, (name, value: unknown) =>
    chosenNames.includes(name) && !isSafe(value) ? undefined : value,
  );
  return { content: [{ type: 'text', text }], structuredContent };
}

function failure(problem: AnyProblem, retryAfter: string | undefined): ToolResult {
  const { code, detail, hint, errors = [], errors_omitted, violated_policies = [], request_id } = problem;
  const lines = [
    `${code}: ${detail}`,
    ...errors.map((it) => `- ${nameArgument(it)}: ${it.detail}${describeAllowed(it)}`),
    ...(errors_omitted === undefined ? [] : [`- ${errors_omitted} more errors`]),
    ...violated_policies.map((it) => `- exceeded limit: ${it}`),
    ...(retryAfter === undefined ? [] : [`Wait ${retryAfter} s, then call the tool again with the same arguments.`]),
    `What to do: ${hint ?? findHelp(code)}`,
    ...(code === 'internal_error' ? [`request_id: ${request_id}`] : []),
  ];
  return { content: [{ type: 'text', text: lines.join('\n') }], isError: true };
}

/** Returns e.g. `rr_intervals_ms[1]` for the pointer `/rr_intervals_ms/1`. */
function nameArgument({ pointer, parameter = '' }: Schema<'Fault'>): string {
  if (pointer === undefined) return parameter;
  const indexed = pointer.slice(1).replace(/\/(\d+)/g, '[$1]');
  return indexed.replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
}

function describeAllowed({ allowed, suggestion }: Schema<'Fault'>): string {
  return allowed ? ` (${allowed.join(', ')})` : suggestion ? ` (did you mean ${suggestion}?)` : '';
}

/** Returns the help text for an error code. A newer service may return a code that this process does not know. */
function findHelp(code: ProblemCode): string {
  if (code === 'validation_failed') return 'Correct these arguments, and call the tool again.';
  const help: Partial<Record<ProblemCode, { readonly fix: string }>> = problemHelp;
  return help[code]?.fix ?? 'Read the detail.';
}
