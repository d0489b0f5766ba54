/**
 * Forwards requests of agents to the APIs of model vendors. Adds the state of the person to the requests that it knows.
 * Forwards a request unchanged if the state is not available. Texts and keys stay in memory and are never logged.
 */
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { type Dispatcher, Pool } from 'undici';
import type { GatewayConfig } from './config.js';
import { type Advice, createAdvisor, identifyParticipant } from './advisor.js';
import { type Api, apis, type Provider } from './apis.js';
import { createAskModel } from './ask-model.js';
import { readConversation } from './conversation.js';
import { guardrailPath, readGuardrailCall, unchanged } from './guardrail.js';
import {
  createStateHeaders,
  isStream,
  pickForwardedHeaders,
  pickReturnedHeaders,
  readCaller,
  refuseWithoutSession,
  withStateKey,
} from './headers.js';
import { clientClosed, describeRefusal, Refusal } from './refusal.js';
import { createWithBody } from './request-body.js';
import { collectText } from './response-text.js';

export interface Gateway {
  readonly url: string;
  /** Stops to accept requests. Resolves when all requests are complete and all turns are sent. */
  close(): Promise<void>;
}

/**
 * Writes a response and ends it after the rest of the request's body, so that a client that is still sending gets it.
 * Returns false, and does nothing, if the body is read.
 */
export type EndAfterBody = (response: ServerResponse, write: () => void, end: () => void) => boolean;

/** The fields of a request's log line. */
type Logged = Record<string, string | number | boolean>;

const requestTimeoutMs = 60_000;
const connectTimeoutMs = 10_000;
const loggedPathMax = 100;
const joinedBytesMax = 1_000_000;
/** A segment of a path, which has no escapes, so that no vendor decodes it to a path of another API. */
const safeSegment = /^(?!\.{1,2}$)[\w.:@~-]+$/;

/** Starts the gateway. Rejects if it cannot listen on the address. */
export async function startGateway(config: GatewayConfig, log: Logger, endAfterBody: EndAfterBody): Promise<Gateway> {
  const { upstreams, upstreamTimeoutMs, bodyBytesMax, callerHeaders, readsUser } = config;
  const advisor = createAdvisor(config, log);
  const timeouts = {
    headersTimeout: upstreamTimeoutMs,
    bodyTimeout: upstreamTimeoutMs,
    connectTimeout: connectTimeoutMs,
  };
  const openPool = (url: URL | undefined) => url && { pool: new Pool(url.origin, timeouts), base: url.pathname };
  const pools = { openai: openPool(upstreams.openai), anthropic: openPool(upstreams.anthropic) };
  const withBody = createWithBody(bodyBytesMax);
  const askModel = createAskModel(config.placement);
  let isClosing = false;

  async function serve(request: IncomingMessage, response: ServerResponse, logged: Logged): Promise<void> {
    const { pathname, search } = parsePath(request.url);
    if (pathname === '/healthz' || pathname === '/readyz') return sendHealth(response, pathname);
    logged['path'] = pathname.slice(0, loggedPathMax);
    if (pathname === guardrailPath && request.method === 'POST') return answerGuardrail(request, response, logged);
    const { api, pool, path } = findRoute(request, pathname);
    const caller = readCaller(request.headers, callerHeaders);
    if (caller.sessionId === undefined && caller.subjectId === undefined && !readsUser)
      throw refuseWithoutSession(callerHeaders, request.headers);
    const closed = new AbortController();
    // Not after a complete response, because creating the error of `abort` is slow.
    response.once('close', () => response.writableFinished || closed.abort());
    // Before the body, which may be large or slow.
    await advisor.checkCaller(caller, String(request.socket.remoteAddress));
    const { answer, advice, isAdapted } = await withBody(request, response, caller.credential, async (body) => {
      const conversation = api && (await readConversation(api, request.headers, body));
      const isUnknown = caller.sessionId === undefined || (readsUser && caller.subjectId === undefined);
      const { user, start = '' } = (isUnknown && (await conversation?.readOrigin())) || {};
      const participant = identifyParticipant(caller, { user: readsUser ? user : undefined, start });
      if (!participant) throw refuseWithoutSession(callerHeaders, request.headers);
      const advice = await advisor.consult(participant, conversation?.message);
      const { instruction, shortInstruction } = api ? advice : {};
      const { credential, sessionId } = participant;
      const question = { body, conversation, instruction, shortInstruction, credential, sessionId, upstream: path };
      const { skipped, ...asked } = await askModel(question, (parts) =>
        pool.request({
          method: request.method as Dispatcher.HttpMethod,
          path: path + search,
          ...joinBody(parts, pickForwardedHeaders(request.headers, callerHeaders, api)),
          signal: closed.signal,
        }),
      );
      return { ...asked, advice: skipped === undefined ? advice : { ...advice, skipped } };
    });
    Object.assign(logged, { adapted: isAdapted, ...(advice.skipped && { skipped: advice.skipped }) });
    response.writeHead(answer.statusCode, {
      ...pickReturnedHeaders(answer.headers),
      ...createStateHeaders(advice, isAdapted),
    });
    // The first event of a stream may be late.
    if (isStream(answer.headers)) response.flushHeaders();
    await forwardBody(answer, response, api, advice);
  }

  /** Answers a call of LiteLLM's guardrail. After the key, any failure leaves the request as it is. */
  async function answerGuardrail(request: IncomingMessage, response: ServerResponse, logged: Logged): Promise<void> {
    const caller = readCaller(withStateKey(request.headers), { session: [], subject: [] });
    await advisor.checkCaller(caller, String(request.socket.remoteAddress));
    const answer = await withBody(request, response, caller.credential, async (body) => {
      const call = await readGuardrailCall(body, config.litellmSubject);
      const participant =
        call && identifyParticipant({ ...caller, subjectId: call.subjectId }, await call.conversation.readOrigin());
      if (!participant) return undefined;
      const { instruction } = await advisor.consult(participant, call.conversation.message);
      return instruction && call.adapt(instruction);
    }).catch((error: unknown) => void (logged['error'] = error instanceof Refusal ? error.code : 'unreadable_request'));
    logged['adapted'] = answer !== undefined;
    writeJson(response, 200, answer ?? unchanged);
    response.end();
  }

  function sendHealth(response: ServerResponse, pathname: string): void {
    const isReady = pathname === '/healthz' || !isClosing;
    writeJson(response, isReady ? 200 : 503, { status: isReady ? 'ok' : 'closing' });
    response.end();
  }

  /** Other paths of both APIs have the same names, e.g. `/v1/models`, so the headers of Anthropic's SDK decide. */
  function findRoute({ headers }: IncomingMessage, pathname: string) {
    const api = apis.get(pathname);
    const isAnthropic = pathname.startsWith('/v1/messages') || 'anthropic-version' in headers || 'x-api-key' in headers;
    const provider: Provider = api?.provider ?? (isAnthropic ? 'anthropic' : 'openai');
    const upstream = pools[provider];
    if (!isSafePath(pathname))
      throw new Refusal(404, 'not_found_error', 'unknown_path', 'the gateway has no such path: use /v1/…');
    if (upstream) return { api, pool: upstream.pool, path: upstream.base + pathname.slice('/v1'.length) };
    const remedy = `set GATEWAY_${provider.toUpperCase()}_URL`;
    throw new Refusal(404, 'not_found_error', 'no_upstream', `the gateway has no upstream for this path: ${remedy}`);
  }

  /** Sends an error in the format of both vendors, or ends the connection of a response that has started. */
  function sendError(response: ServerResponse, error: unknown, logged: Logged): void {
    const { status, type, code, message } = error instanceof Refusal ? error : describeRefusal(error);
    logged['error'] = code;
    if (response.headersSent || response.destroyed) return void response.destroy();
    if (status === 503) response.setHeader('Retry-After', '1');
    const write = () => writeJson(response, status, { type: 'error', error: { type, code, message } });
    const end = () => void response.end();
    if (endAfterBody(response, write, end)) return;
    write();
    end();
  }

  const server = createServer({ requestTimeout: requestTimeoutMs });
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    const startedAtMs = performance.now();
    const logged: Logged = {};
    serve(request, response, logged)
      .catch((error: unknown) => sendError(response, error, logged))
      .finally(() => {
        const ms = Math.round(performance.now() - startedAtMs);
        if ('path' in logged)
          log.info({ method: request.method, ...logged, status: response.statusCode, ms }, 'request');
      });
  };
  // With `Expect: 100-continue`, the client sends the body only after its key is checked.
  server.on('request', respond).on('checkContinue', respond);
  const url = await listen(server, config);
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

/** Port 0 selects a free port. */
async function listen(server: Server, { host, port }: GatewayConfig): Promise<string> {
  server.listen(port, host);
  await once(server, 'listening');
  return `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`;
}

/** Returns an empty path for a path that is not valid. Otherwise keeps its dot segments and backslashes, which `URL` resolves. */
function parsePath(path = ''): { pathname: string; search: string } {
  try {
    const { search } = new URL(`http://gateway${path}`);
    return { pathname: path.replace(/[?#].*/s, ''), search };
  } catch {
    return { pathname: '', search: '' };
  }
}

/** Returns true for a path below `/v1/`. The id of a file may contain escaped slashes: some servers put a path into it. */
function isSafePath(pathname: string): boolean {
  const decoded = pathname.startsWith('/v1/files/') ? pathname.replaceAll(/%2f/gi, '/') : pathname;
  return (
    decoded.startsWith('/v1/') &&
    decoded
      .slice('/v1/'.length)
      .split('/')
      .every((it) => safeSegment.test(it))
  );
}

/** Joins the parts of a small body, which is faster. Joining a large body would block other requests. */
function joinBody(parts: readonly Buffer[], headers: IncomingHttpHeaders) {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const [whole = null] = parts.length > 1 && length <= joinedBytesMax ? [Buffer.concat(parts)] : parts;
  if (parts.length === 1 || length <= joinedBytesMax) return { headers, body: length > 0 ? whole : null };
  return { headers: { ...headers, 'content-length': String(length) }, body: Readable.from(parts) };
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
  // A short response is one write to the socket.
  if (!isStream(headers)) response.cork();
  // `pipeline` costs several times as much, and half of its cost is an error for its own signal.
  await new Promise<void>((resolve, reject) => {
    response.once('close', () => (response.writableFinished ? resolve() : reject(clientClosed())));
    if (response.closed) return reject(clientClosed());
    body.once('error', reject).once('end', () => response.end());
    response.on('drain', () => body.resume());
    body.on('data', (chunk: Buffer) => {
      text?.add(chunk);
      if (response.write(chunk)) return;
      body.pause();
      // Since Node.js 22, one call too many holds all further chunks back.
      if (response.writableCorked > 0) response.uncork();
    });
  });
  const answer = text?.end();
  if (answer !== undefined) completeTurn?.(answer);
}

function writeJson(response: ServerResponse, status: number, body: object | string): void {
  const json = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) };
  response.writeHead(status, headers).write(json);
}
