import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Api } from './apis.js';
import { Refusal } from './refusal.js';
import { backendHeader } from './upstreams.js';

const keyHeader = 'x-state-key';
const idPattern = /^[!-~]{1,256}$/;
const remedies = {
  key: 'send an API key of the state service or a session token',
  session: 'send the id of the session without spaces, or with an API key the id of the person',
  subject: 'send the hashed id of the person, or omit the header',
};

/** Names of the headers that contain the session and the person, in lower case. Of several, the first one counts. */
export interface CallerHeaders {
  readonly session: readonly string[];
  readonly subject: readonly string[];
  /** Headers with a key of the service. */
  readonly keys: readonly string[];
  /** Of these, those of a front end, whose ids are hashed. */
  readonly hashed?: readonly string[];
}

/** Headers of front ends. Open WebUI has fixed names. LibreChat sends the names that its configuration sets. */
export const presets = {
  'open-webui': { session: 'x-openwebui-chat-id', subject: 'x-openwebui-user-id' },
  librechat: { session: 'x-librechat-conversation-id', subject: 'x-librechat-user-id' },
} as const;
/** Headers of one connection (RFC 9110, section 7.6.1), and headers that the HTTP client sets. */
const connectionHeaders = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'host', 'content-length', 'expect'],
]);

/** Returns the headers of LiteLLM, whose key may be in the header that it has for keys. */
export function withStateKey(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return headers[keyHeader] === undefined ? { ...headers, [keyHeader]: headers['x-api-key'] } : headers;
}

/** A caller, as its headers describe it. */
export interface Caller {
  /** An API key or a session token. */
  readonly credential: string;
  /** Undefined if no header names it. */
  readonly sessionId: string | undefined;
  readonly subjectId: string | undefined;
}

/** Reads the headers for the gateway. Throws a Refusal if one is invalid, or if the key is missing. */
export function readCaller(headers: IncomingHttpHeaders, names: CallerHeaders): Caller {
  const credential = headers[keyHeader];
  if (credential === undefined) throw refuse('key', 'missing', keyHeader);
  if (typeof credential !== 'string' || !/^[!-~]{1,4096}$/.test(credential)) throw refuse('key', 'invalid', keyHeader);
  const readId = (kind: 'session' | 'subject'): string | undefined => {
    const name = names[kind].find((it) => it in headers);
    const value = name === undefined ? undefined : headers[name];
    if (name !== undefined && !isId(value)) throw refuse(kind, 'invalid', name);
    return name !== undefined && names.hashed?.includes(name)
      ? hashId(name, String(value))
      : (value as string | undefined);
  };
  return { credential, sessionId: readId('session'), subjectId: readId('subject') };
}

/** Not keyed, because a key may be rotated, and the id must stay. Front ends choose random ids. */
export function hashId(name: string, id: string): string {
  const digest = createHash('sha256').update(JSON.stringify([name, id]));
  return `gateway-${digest.digest('base64url').slice(0, 22)}`;
}

/** Returns the error for a request that names neither a session nor a person. */
export function refuseWithoutSession(names: CallerHeaders, headers: IncomingHttpHeaders): Refusal {
  const fitting = Object.entries(presets).find(([, it]) => it.session in headers || it.subject in headers);
  const remedy = fitting && `, or start the gateway with GATEWAY_PRESET=${fitting[0]}`;
  return refuse('session', 'missing', String(names.session[0]), remedy);
}

/** Returns true for an id that the service accepts. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && idPattern.test(value);
}

function refuse(kind: keyof typeof remedies, fault: 'missing' | 'invalid', name: string, remedy = ''): Refusal {
  const [status, type] =
    kind === 'key' ? ([401, 'authentication_error'] as const) : ([400, 'invalid_request_error'] as const);
  return new Refusal(status, type, `${fault}_state_${kind}`, `${name} is ${fault}: ${remedies[kind]}${remedy}`);
}

/** What a browser adds about the page and its person. Load balancers of vendors set cookies, which other clients return. */
const headersOfPage = ['cookie', 'referer'];

interface ForwardedRequest {
  readonly api: Api | undefined;
  /** True for a request of a page of a browser. */
  readonly isOfPage: boolean;
  /** True if the body is not the one that was received. */
  readonly isChanged: boolean;
}

/**
 * The upstream gets no header for the gateway, and none with which a browser names the page. It must not compress a
 * response that the gateway reads. A changed body is not compressed.
 */
export function pickForwardedHeaders(
  headers: IncomingHttpHeaders,
  { session, subject, keys }: CallerHeaders,
  { api, isOfPage, isChanged }: ForwardedRequest,
): IncomingHttpHeaders {
  const dropped = [...(isOfPage ? headersOfPage : []), ...(isChanged ? ['content-encoding'] : [])];
  const own = [...keys, backendHeader, ...session, ...subject, ...dropped];
  const isForwarded = (name: string) => !name.startsWith('x-state-') && !own.includes(name);
  return { ...pick(headers, isForwarded), ...(api && { 'accept-encoding': 'identity' }) };
}

/**
 * Proxies must not buffer or compress a stream, because they would delay its events. Which pages may read the response is
 * for the gateway to say.
 */
export function pickReturnedHeaders(headers: IncomingHttpHeaders, isOfPage: boolean): IncomingHttpHeaders {
  const { 'content-length': length, 'cache-control': caching } = headers;
  const kept = pick(
    headers,
    (name) => !/^(?:x-state|access-control-)/.test(name) && !(isOfPage && name === 'set-cookie'),
  );
  const unchanged = [caching, 'no-transform'].filter(Boolean).join(', ');
  return {
    ...kept,
    ...(length !== undefined && { 'content-length': length }),
    ...(isStream(headers) && { 'cache-control': unchanged, 'x-accel-buffering': 'no' }),
  };
}

export const eventStream = 'text/event-stream';
export const lineStream = 'application/x-ndjson';

export function isStream({ 'content-type': type = '' }: IncomingHttpHeaders): boolean {
  return isOfType(type, eventStream) || isOfType(type, lineStream);
}

export function isOfType(contentType: string, type: string): boolean {
  return contentType.slice(0, type.length).toLowerCase() === type;
}

/** Returns the headers that concern more than one connection. */
function pick(headers: IncomingHttpHeaders, isPicked: (name: string) => boolean): IncomingHttpHeaders {
  const listed = headers.connection?.toLowerCase().split(/[ ,]+/);
  const picked: IncomingHttpHeaders = {};
  for (const name in headers)
    if (!connectionHeaders.has(name) && !listed?.includes(name) && isPicked(name)) picked[name] = headers[name];
  return picked;
}
