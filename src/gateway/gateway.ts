/**
 * Forwards requests of agents to the APIs of model vendors. Adds the state of the person to the requests that it knows.
 * Forwards a request unchanged if the state is not available. Texts and keys stay in memory and are never logged.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Logger } from 'pino';
import { type Dispatcher, Pool } from 'undici';
import type { GatewayConfig } from '../config/gateway.js';
import { listen } from '../net/listen.js';
import { parseUrl } from '../net/parse-url.js';
import { type Advice, type Caller, createAdvisor } from './advisor.js';
import { type Api, apis, type Provider } from './apis.js';
import { collectText } from './response-text.js';

export interface Gateway {
  readonly url: string;
  /** Stops to accept requests. Resolves when all requests are complete and all turns are sent. */
  close(): Promise<void>;
}

/** An error that the gateway returns instead of a response of the model. */
class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly type: string,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The fields of a request's log line. */
type Logged = Record<string, string | number | boolean>;

const rejectedKey =
  'the state service rejected X-State-Key: send a valid API key, or a session token of the session in X-State-Session';
const requestTimeoutMs = 60_000;
const connectTimeoutMs = 10_000;
const loggedPathMax = 100;
/** Largest bodies that all requests together hold in memory. */
const bodiesMax = 8;
/** A path without escapes, so that no vendor decodes it to a path of another API. */
const safePath = /^\/v1(?:\/[\w.:@~-]+)+$/;
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

/** Starts the gateway. Rejects if it cannot listen on the address. */
export async function startGateway(config: GatewayConfig, log: Logger): Promise<Gateway> {
  const { upstreams, upstreamTimeoutMs, bodyBytesMax } = config;
  const advisor = createAdvisor(config, log);
  const timeouts = {
    headersTimeout: upstreamTimeoutMs,
    bodyTimeout: upstreamTimeoutMs,
    connectTimeout: connectTimeoutMs,
  };
  const openPool = (url: URL | undefined) => url && { pool: new Pool(url.origin, timeouts), base: url.pathname };
  const pools = { openai: openPool(upstreams.openai), anthropic: openPool(upstreams.anthropic) };
  let bufferedBytes = 0;
  let isClosing = false;

  async function serve(request: IncomingMessage, response: ServerResponse, logged: Logged): Promise<void> {
    const { pathname = '', search = '' } = parseUrl(`http://gateway${request.url}`) ?? {};
    if (pathname === '/healthz' || pathname === '/readyz') return sendHealth(response, pathname);
    logged['path'] = pathname.slice(0, loggedPathMax);
    const route = findRoute(request, pathname);
    const caller = readCaller(request.headers);
    const closed = new AbortController();
    // Not after a complete response, because creating the error of `abort` is slow.
    response.once('close', () => response.writableFinished || closed.abort());
    const { answer, advice, isAdapted } = await withBody(request, async (body) => {
      const parsed = route.api && parseBody(request.headers, body);
      const advice = await advisor.consult(caller, parsed && route.api?.readMessage(parsed.value));
      if (advice.isRefused) throw new Refusal(401, 'authentication_error', 'invalid_state_key', rejectedKey);
      const { instruction } = advice;
      const adapted = instruction && parsed && route.api?.addInstruction(parsed.json, parsed.value, instruction);
      const answer = await route.pool.request({
        method: request.method as Dispatcher.HttpMethod,
        path: route.path + search,
        headers: forwardedHeaders(request.headers, route.api),
        ...(body.length > 0 && { body: adapted || body }),
        signal: closed.signal,
      });
      return { answer, advice, isAdapted: Boolean(adapted) };
    });
    Object.assign(logged, { adapted: isAdapted, ...(advice.skipped && { skipped: advice.skipped }) });
    response.writeHead(answer.statusCode, { ...returnedHeaders(answer.headers), ...stateHeaders(advice, isAdapted) });
    // The first event of a stream may be late.
    if (String(answer.headers['content-type']).startsWith('text/event-stream')) response.flushHeaders();
    await forwardBody(answer, response, route.api, advice);
  }

  function sendHealth(response: ServerResponse, pathname: string): void {
    const isReady = pathname === '/healthz' || !isClosing;
    sendJson(response, isReady ? 200 : 503, { status: isReady ? 'ok' : 'closing' });
  }

  /** Other paths of both APIs have the same names, e.g. `/v1/models`, so the headers of Anthropic's SDK decide. */
  function findRoute({ headers }: IncomingMessage, pathname: string) {
    const api = apis.get(pathname);
    const isAnthropic = pathname.startsWith('/v1/messages') || 'anthropic-version' in headers || 'x-api-key' in headers;
    const provider: Provider = api?.provider ?? (isAnthropic ? 'anthropic' : 'openai');
    const upstream = pools[provider];
    if (!safePath.test(pathname))
      throw new Refusal(404, 'not_found_error', 'unknown_path', 'the gateway has no such path: use /v1/…');
    if (upstream) return { api, pool: upstream.pool, path: upstream.base + pathname.slice('/v1'.length) };
    const remedy = `set GATEWAY_${provider.toUpperCase()}_URL`;
    throw new Refusal(404, 'not_found_error', 'no_upstream', `the gateway has no upstream for this path: ${remedy}`);
  }

  /** Reads the body and runs the work with it. The body counts as buffered until the model responds. */
  async function withBody<T>(request: IncomingMessage, work: (body: Buffer) => Promise<T>): Promise<T> {
    let size = 0;
    const parts: Buffer[] = [];
    try {
      // The connection stays open, so that the client gets the error.
      for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        size += part.length;
        bufferedBytes += part.length;
        if (size > bodyBytesMax)
          throw new Refusal(413, 'request_too_large', 'body_too_large', `the body exceeds ${bodyBytesMax} bytes`);
        if (bufferedBytes > bodiesMax * bodyBytesMax)
          throw new Refusal(503, 'overloaded_error', 'overloaded', 'the gateway is overloaded: send the request again');
        parts.push(part);
      }
      return await work(Buffer.concat(parts));
    } finally {
      bufferedBytes -= size;
    }
  }

  const server = createServer({ requestTimeout: requestTimeoutMs }, (request, response) => {
    const startedAtMs = performance.now();
    const logged: Logged = {};
    serve(request, response, logged)
      .catch((error: unknown) => sendError(response, error, logged))
      .finally(() => {
        const ms = Math.round(performance.now() - startedAtMs);
        if ('path' in logged)
          log.info({ method: request.method, ...logged, status: response.statusCode, ms }, 'request');
      });
  });
  const url = await listen(server, config.host, config.port);
  return {
    url,
    async close() {
      isClosing = true;
      await new Promise((resolve) => server.close(resolve));
      await advisor.close();
      await Promise.all(Object.values(pools).map((it) => it?.pool.close()));
    },
  };
}

/** Reads the headers for the gateway. Throws a Refusal if one is invalid, or if the key or the session is missing. */
function readCaller(headers: IncomingHttpHeaders): Caller {
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

/** Returns undefined for a body that is compressed or not JSON. It is forwarded unchanged. */
function parseBody(headers: IncomingHttpHeaders, body: Buffer): { json: string; value: unknown } | undefined {
  if (headers['content-encoding'] !== undefined) return undefined;
  try {
    const json = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    return { json, value: JSON.parse(json) };
  } catch {
    return undefined;
  }
}

/** The upstream gets no header for the gateway. It must not compress a response that the gateway reads. */
function forwardedHeaders(headers: IncomingHttpHeaders, api: Api | undefined): IncomingHttpHeaders {
  const isForwarded = (name: string) => !name.startsWith('x-state-') && name !== 'x-service-key';
  const kept = Object.entries(withoutConnection(headers)).filter(([name]) => isForwarded(name));
  return { ...Object.fromEntries(kept), ...(api && { 'accept-encoding': 'identity' }) };
}

function returnedHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { 'content-length': length } = headers;
  const kept = Object.entries(withoutConnection(headers)).filter(([name]) => !name.startsWith('x-state'));
  return { ...Object.fromEntries(kept), ...(length !== undefined && { 'content-length': length }) };
}

function withoutConnection(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const listed = String(headers.connection ?? '')
    .toLowerCase()
    .split(/[ ,]+/);
  const isKept = (name: string) => !connectionHeaders.includes(name) && !listed.includes(name);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isKept(name)));
}

function stateHeaders({ reading, skipped }: Advice, isAdapted: boolean): Record<string, string> {
  return {
    'X-State-Adapted': String(isAdapted),
    ...(reading && { 'X-State': reading.state }),
    ...(reading?.safety && { 'X-State-Safety': reading.safety.kind }),
    ...(skipped !== undefined && { 'X-State-Skipped': skipped }),
  };
}

/** Forwards the body without buffering. Afterwards, sends the turn if the response is complete. */
async function forwardBody(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  response: ServerResponse,
  api: Api | undefined,
  { completeTurn }: Advice,
): Promise<void> {
  const isRead = statusCode === 200 && headers['content-encoding'] === undefined;
  const text = api && completeTurn && isRead ? collectText(api, String(headers['content-type'])) : undefined;
  const observe = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      text?.add(chunk);
      yield chunk;
    }
  };
  await pipeline(body, observe, response);
  const answer = text?.end();
  if (answer !== undefined) completeTurn?.(answer);
}

/** Sends an error in the format of both vendors, or ends the connection of a response that has started. */
function sendError(response: ServerResponse, error: unknown, logged: Logged): void {
  const { status, type, code, message } = error instanceof Refusal ? error : describeRefusal(error);
  logged['error'] = code;
  if (response.headersSent || response.destroyed) return void response.destroy();
  if (status === 503) response.setHeader('Retry-After', '1');
  sendJson(response, status, { type: 'error', error: { type, code, message } });
}

function describeRefusal(error: unknown): Refusal {
  const { name, code } = error as { name?: unknown; code?: unknown };
  if (name === 'AbortError' || code === 'ERR_STREAM_PREMATURE_CLOSE')
    return new Refusal(499, 'api_error', 'client_closed', 'the client closed the connection');
  if (code === 'UND_ERR_HEADERS_TIMEOUT')
    return new Refusal(504, 'api_error', 'upstream_timeout', 'the model did not start to respond in time');
  return new Refusal(502, 'api_error', 'upstream_unavailable', 'the gateway got no response from the model');
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
