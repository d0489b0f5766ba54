import createFetchClient, { createQuerySerializer, defaultBodySerializer, defaultPathSerializer } from 'openapi-fetch';
import type { paths } from '../../../generated/api.js';
import { ConnectionError } from './connection-error.js';
import { authorizationBy, type Credential, type Send } from './credential.js';
import type { CallOptions, ClientOptions, IdempotentCallOptions, TokenClientOptions } from './options.js';
import { errorOf, parseResult, UnexpectedAnswerError } from './problem-error.js';
import { retrying, retryDefaults, type RetryOptions, sleep } from './retry.js';

type InternalCall = CallOptions & { readonly headers?: Record<string, string> };

/** Lists in the query are separated by commas. */
const writeQuery = createQuerySerializer({ array: { style: 'form', explode: false } });

/** Sends typed requests. `on` and `once` convert the options of a call to those of a request. */
export function createTransport({
  baseUrl = requireHttp(fromEnvironment('SERVICE_URL', 'baseUrl')),
  fetch = globalThis.fetch,
  ...options
}: ClientOptions | TokenClientOptions) {
  const authorize = authorizationBy(credentialOf(options));
  const limitsOf = ({ maxRetries, waitBudgetMs, timeoutMs }: CallOptions = {}): RetryOptions => ({
    maxRetries: maxRetries ?? options.maxRetries ?? retryDefaults.maxRetries,
    waitBudgetMs: waitBudgetMs ?? options.waitBudgetMs ?? retryDefaults.waitBudgetMs,
    timeoutMs: timeoutMs ?? options.timeoutMs ?? retryDefaults.timeoutMs,
  });
  return {
    api: createFetchClient<paths>({
      baseUrl,
      pathSerializer: writePath,
      querySerializer: (query) => writeQuery(requireNoNull(query)),
      bodySerializer: (body) => defaultBodySerializer(requireNoNull({ body }).body),
    }),
    limitsOf,
    /** Returns the fetch options of a call. They resend the request if that is safe. */
    on({ signal, headers, ...call }: InternalCall = {}) {
      const send = retrying({ ...limitsOf(call), fetch, sleep, random: Math.random });
      const fetchJson = requireJson(observed(authorize(send), call));
      return { fetch: fetchJson, ...(signal && { signal }), ...(headers && { headers }) };
    },
    /** The request is sent once, until the signal aborts. Its response is not read. */
    once(signal: AbortSignal, call: CallOptions = {}) {
      const send: Send = (request) =>
        fetch(request, { signal }).catch((cause: unknown) => {
          throw ConnectionError.of(request, cause);
        });
      return { fetch: observed(authorize(send), call), signal, parseAs: 'stream' as const };
    },
  };
}

export type Transport = ReturnType<typeof createTransport>;

function observed(send: Send, { onResponse }: CallOptions): Send {
  return async (request) => {
    const response = await send(request);
    const { status, headers } = response;
    onResponse?.({ status, headers, requestId: headers.get('x-request-id') });
    return response;
  };
}

/** Rejects a successful response that is not a JSON object, e.g. the page of a proxy. A 204 has no body. */
function requireJson(send: Send): Send {
  return async (request) => {
    const response = await send(request);
    if (!response.ok || response.status === 204) return response;
    const result = parseResult(await response.clone().text(), response.status);
    if (typeof result !== 'object' || result === null) throw new UnexpectedAnswerError(response.status);
    return response;
  };
}

/** Returns the arguments. Rejects null: leaving it out would send another request, e.g. an export of all persons. */
export function requireNoNull<Arguments extends object>(values: Arguments): Arguments {
  for (const [name, value] of Object.entries(values))
    if (value === null) throw new TypeError(`${name} must not be null: pass a value, or omit it if it is optional`);
  return values;
}

/** Adds an Idempotency-Key, so that the call can be resent when its response is lost. */
export function withKey({ idempotencyKey = crypto.randomUUID(), ...call }: IdempotentCallOptions = {}): InternalCall {
  return { ...call, headers: { 'Idempotency-Key': idempotencyKey } };
}

/** Writes the path of a request. Rejects an id that URL rules remove, because the request would have another path. */
function writePath(pathname: string, parameters: Readonly<Record<string, unknown>>): string {
  requireNoNull(parameters);
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) throw new TypeError(`${name} is missing`);
    if (value === '.' || value === '..') throw new TypeError(`${name} must not be "." or ".."`);
  }
  return defaultPathSerializer(pathname, parameters);
}

function credentialOf(options: ClientOptions | TokenClientOptions): Credential {
  if ('token' in options) return { token: requireNoNull(options).token };
  return { key: options.key ?? fromEnvironment('SERVICE_KEY', 'key') };
}

/** Reads a variable of the environment. Browsers and some edge runtimes have none. */
function fromEnvironment(variable: string, option: string): string {
  const { process } = globalThis as { process?: { env?: Readonly<Record<string, string | undefined>> } };
  const value = process?.env?.[variable];
  if (!value) throw new Error(`${option} is missing: pass it to createStateClient or set ${variable}`);
  return value;
}

/** An option may be relative to a web page. The variable is of a program, and a mistyped one fails later without its name. */
function requireHttp(url: string): string {
  if (!/^https?:\/\//.test(url)) throw new Error('SERVICE_URL must start with http:// or https://');
  return url;
}

interface Answered<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** Returns the data of a response. Throws the error of an error response. */
export function read<Data>(answered: Answered<Data>): Data {
  requireOk(answered);
  if (answered.data === undefined) throw errorOf(undefined, answered.response);
  return answered.data;
}

/** Returns the body of a streamed response. Throws an error for a page of a proxy, which has another media type. */
export function readBody<Body>(answered: Answered<Body>, mediaType: string): NonNullable<Body> {
  const body = read(answered);
  if (!body || !answered.response.headers.get('content-type')?.startsWith(mediaType))
    throw errorOf(undefined, answered.response);
  return body;
}

/** Throws the error of an error response. */
function requireOk({ error, response }: Answered<unknown>): void {
  if (!response.ok) throw errorOf(error, response);
}

/** Requires a response without a body. */
export function succeed(answered: Answered<unknown>): void {
  requireOk(answered);
  if (answered.response.status !== 204) throw new UnexpectedAnswerError(answered.response.status);
}
