import type { IncomingHttpHeaders } from 'node:http';
import type { Advice, Caller } from './advisor.js';
import type { Api } from './apis.js';
import { Refusal } from './refusal.js';

const callerHeaders = {
  'x-state-key': { pattern: /^[!-~]{1,4096}$/, remedy: 'send an API key of the state service or a session token' },
  'x-state-session': { pattern: /^[!-~]{1,256}$/, remedy: 'send the id of the session without spaces' },
  'x-state-subject': { pattern: /^[!-~]{1,256}$/, remedy: 'send the hashed id of the person, or omit the header' },
};
/** Headers of one connection (RFC 9110, section 7.6.1), and headers that the HTTP client sets. */
const connectionHeaders = [
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'host', 'content-length', 'expect'],
];

/** Reads the headers for the gateway. Throws a Refusal if one is invalid, or if the key or the session is missing. */
export function readCaller(headers: IncomingHttpHeaders): Caller {
  const read = (name: keyof typeof callerHeaders, type: 'authentication_error' | 'invalid_request_error'): string => {
    const { pattern, remedy } = callerHeaders[name];
    const value = headers[name];
    if (typeof value === 'string' && pattern.test(value)) return value;
    const fault = value === undefined ? 'missing' : 'invalid';
    const code = `${fault}_${name.slice('x-'.length).replace('-', '_')}`;
    throw new Refusal(type === 'authentication_error' ? 401 : 400, type, code, `${name} is ${fault}: ${remedy}`);
  };
  const credential = read('x-state-key', 'authentication_error');
  const sessionId = read('x-state-session', 'invalid_request_error');
  const hasSubject = 'x-state-subject' in headers;
  return {
    credential,
    sessionId,
    subjectId: hasSubject ? read('x-state-subject', 'invalid_request_error') : undefined,
  };
}

/** The upstream gets no header for the gateway. It must not compress a response that the gateway reads. */
export function pickForwardedHeaders(headers: IncomingHttpHeaders, api: Api | undefined): IncomingHttpHeaders {
  const isForwarded = (name: string) => !name.startsWith('x-state-') && name !== 'x-service-key';
  const kept = Object.entries(withoutConnection(headers)).filter(([name]) => isForwarded(name));
  return { ...Object.fromEntries(kept), ...(api && { 'accept-encoding': 'identity' }) };
}

/** Proxies must not buffer or compress a stream, because they would delay its events. */
export function pickReturnedHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { 'content-length': length, 'cache-control': caching } = headers;
  const kept = Object.entries(withoutConnection(headers)).filter(([name]) => !name.startsWith('x-state'));
  const unchanged = [caching, 'no-transform'].filter(Boolean).join(', ');
  return {
    ...Object.fromEntries(kept),
    ...(length !== undefined && { 'content-length': length }),
    ...(isStream(headers) && { 'cache-control': unchanged, 'x-accel-buffering': 'no' }),
  };
}

export function isStream(headers: IncomingHttpHeaders): boolean {
  return String(headers['content-type']).startsWith('text/event-stream');
}

function withoutConnection(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const listed = String(headers.connection ?? '')
    .toLowerCase()
    .split(/[ ,]+/);
  const isKept = (name: string) => !connectionHeaders.includes(name) && !listed.includes(name);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isKept(name)));
}

export function createStateHeaders({ reading, skipped }: Advice, isAdapted: boolean): Record<string, string> {
  return {
    'X-State-Adapted': String(isAdapted),
    ...(reading && { 'X-State': reading.state }),
    ...(reading?.safety && { 'X-State-Safety': reading.safety.kind }),
    ...(skipped !== undefined && { 'X-State-Skipped': skipped }),
  };
}
