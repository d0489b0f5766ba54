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
import { type Advice, createAdvisor } from './advisor.js';
import { type Api, apis, type Provider } from './apis.js';
import { createStateHeaders, isStream, pickForwardedHeaders, pickReturnedHeaders, readCaller } from './headers.js';
import { describeRefusal, Refusal } from './refusal.js';
import { collectText } from './response-text.js';

export interface Gateway {
  readonly url: string;
  /** Stops to accept requests. Resolves when all requests are complete and all turns are sent. */
  close(): Promise<void>;
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
        headers: pickForwardedHeaders(request.headers, route.api),
        ...(body.length > 0 && { body: adapted || body }),
        signal: closed.signal,
      });
      return { answer, advice, isAdapted: Boolean(adapted) };
    });
    Object.assign(logged, { adapted: isAdapted, ...(advice.skipped && { skipped: advice.skipped }) });
    response.writeHead(answer.statusCode, {
      ...pickReturnedHeaders(answer.headers),
      ...createStateHeaders(advice, isAdapted),
    });
    // The first event of a stream may be late.
    if (isStream(answer.headers)) response.flushHeaders();
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

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
