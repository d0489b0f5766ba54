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
import type { Logger } from 'pino';
import { type Dispatcher, Pool } from 'undici';
import type { GatewayConfig } from './config.js';
import { createAdvisor, createStateHeaders, identifyParticipant } from './advisor.js';
import { createAskModel } from './ask-model.js';
import { type Conversation, readConversation } from './conversation.js';
import { forwardBody, joinBody } from './forward.js';
import { guardrailPath, readGuardrailCall, unchanged } from './guardrail.js';
import {
  type Caller,
  isStream,
  pickForwardedHeaders,
  pickReturnedHeaders,
  readCaller,
  refuseWithoutSession,
  withStateKey,
} from './headers.js';
import { createPages } from './pages.js';
import { inflate } from './inflate.js';
import { describeRefusal, Refusal, upgradeRequired, upgradeRequiredStatus } from './refusal.js';
import { createWithBody } from './request-body.js';
import {
  type ApiPath,
  backendHeader,
  findUpstream,
  findUpstreamOfModel,
  readApiPath,
  type Upstream,
} from './upstreams.js';

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

/** Starts the gateway. Rejects if it cannot listen on the address. */
export async function startGateway(config: GatewayConfig, log: Logger, endAfterBody: EndAfterBody): Promise<Gateway> {
  const { upstreams, upstreamTimeoutMs, bodyBytesMax, callerHeaders, readsUser } = config;
  const advisor = createAdvisor(config, log);
  const timeouts = {
    headersTimeout: upstreamTimeoutMs,
    bodyTimeout: upstreamTimeoutMs,
    connectTimeout: connectTimeoutMs,
  };
  const pools = new Map(upstreams.map((it) => [it, new Pool(it.base.origin, timeouts)]));
  const pages = createPages(config.corsOrigins);
  const withBody = createWithBody(bodyBytesMax);
  const askModel = createAskModel(config.placement);
  let isClosing = false;

  async function serve(request: IncomingMessage, response: ServerResponse, logged: Logged): Promise<void> {
    const { pathname, search } = parsePath(request.url);
    if (pathname === '/healthz' || pathname === '/readyz') return sendHealth(response, pathname);
    logged['path'] = pathname.slice(0, loggedPathMax);
    if (/\bwebsocket\b/i.test(request.headers.upgrade ?? '')) throw upgradeRequired();
    if (pathname === guardrailPath && request.method === 'POST') return answerGuardrail(request, response, logged);
    const path = readApiPath(pathname, request.headers);
    if (!path) throw new Refusal(404, 'not_found_error', 'unknown_path', 'the gateway has no such path: use /v1/…');
    logged['api'] = path.kinds[0];
    const found = findUpstream(upstreams, path, request.headers);
    const caller = readCaller(request.headers, callerHeaders);
    if (caller.sessionId === undefined && caller.subjectId === undefined && !readsUser)
      throw refuseWithoutSession(callerHeaders, request.headers);
    const closed = new AbortController();
    // Not after a complete response, because creating the error of `abort` is slow.
    response.once('close', () => response.writableFinished || closed.abort());
    const isOfPage = request.headers.origin !== undefined;
    await admit(request, caller);
    const { answer, advice, isAdapted } = await withBody(
      request,
      response,
      caller.credential,
      async (received, reserve) => {
        const text = path.api && (await inflate(request.headers, received, { bytesMax: bodyBytesMax, reserve }));
        const { upstream, body, conversation } = await chooseByModel(found, path, request.headers, received, text);
        const participant = await identify(request.headers, caller, conversation);
        const advice = await advisor.consult(participant, conversation?.message);
        const { instruction, shortInstruction } = path.api ? advice : {};
        const { credential, sessionId } = participant;
        const asking = { credential, sessionId, upstream: upstream.base.href + path.rest };
        const question = { ...asking, body, conversation, instruction, shortInstruction };
        const { skipped, ...asked } = await askModel(question, (parts) =>
          (pools.get(upstream) as Pool).request({
            method: request.method as Dispatcher.HttpMethod,
            path: upstream.base.pathname + path.rest + search,
            ...joinBody(
              parts,
              pickForwardedHeaders(request.headers, callerHeaders, {
                ...{ api: path.api, isOfPage, isChanged: parts[0] !== received },
              }),
            ),
            signal: closed.signal,
          }),
        );
        return { ...asked, advice: skipped === undefined ? advice : { ...advice, skipped } };
      },
    );
    Object.assign(logged, { adapted: isAdapted, ...(advice.skipped && { skipped: advice.skipped }) });
    response.writeHead(answer.statusCode, {
      ...pickReturnedHeaders(answer.headers, isOfPage),
      ...createStateHeaders(advice, isAdapted),
    });
    // The first event of a stream may be late.
    if (isStream(answer.headers)) response.flushHeaders();
    await forwardBody(answer, response, path.api, advice);
  }

  /** Before the body, which may be large or slow. */
  async function admit(request: IncomingMessage, caller: Caller): Promise<void> {
    pages.requireToken(request, caller.credential);
    await advisor.checkCaller(caller, String(request.socket.remoteAddress));
  }

  /** Reads the conversation. Its model may choose another upstream, and is sent without the name of the upstream. */
  async function chooseByModel(
    upstream: Upstream,
    { api }: ApiPath,
    headers: IncomingHttpHeaders,
    body: Buffer,
    text: Buffer | undefined,
  ) {
    const conversation = api && (await readConversation(api, text));
    const isNamed = backendHeader in headers;
    const chosen = isNamed ? undefined : findUpstreamOfModel(upstreams, upstream, conversation?.model);
    if (!api || !conversation || !chosen) return { upstream, body, conversation };
    const renamed = conversation.renameModel(String(conversation.model).slice(chosen.name.length + 1));
    return { upstream: chosen, body: renamed, conversation: await readConversation(api, renamed) };
  }

  /** Returns the session and the person of a request, from its headers or its body. */
  async function identify(headers: IncomingHttpHeaders, caller: Caller, conversation: Conversation | undefined) {
    const isUnknown = caller.sessionId === undefined || (readsUser && caller.subjectId === undefined);
    const { user, start = '' } = (isUnknown && (await conversation?.readOrigin())) || {};
    const participant = identifyParticipant(caller, { user: readsUser ? user : undefined, start });
    if (!participant) throw refuseWithoutSession(callerHeaders, headers);
    return participant;
  }

  /** Answers a call of LiteLLM's guardrail. After the key, any failure leaves the request as it is. */
  async function answerGuardrail(request: IncomingMessage, response: ServerResponse, logged: Logged): Promise<void> {
    const caller = readCaller(withStateKey(request.headers), { session: [], subject: [], keys: [] });
    await admit(request, caller);
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

  /** Sends an error in the format of the vendors, or ends the connection of a response that has started. */
  function sendError(response: ServerResponse, error: unknown, logged: Logged): void {
    const { status, type, code, message } = error instanceof Refusal ? error : describeRefusal(error);
    logged['error'] = code;
    if (response.headersSent || response.destroyed) return void response.destroy();
    if (status === 503) response.setHeader('Retry-After', '1');
    const body =
      logged['api'] === 'ollama' ? { error: message, code } : { type: 'error', error: { type, code, message } };
    const write = () => {
      if (status !== upgradeRequiredStatus) return writeJson(response, status, body);
      response.setHeader('Upgrade', 'HTTP/1.1');
      writeJson(
        response,
        status,
        { title: 'Upgrade Required', status, detail: message, code },
        'application/problem+json',
      );
    };
    const end = () => void response.end();
    if (endAfterBody(response, write, end)) return;
    write();
    end();
  }

  const server = createServer({ requestTimeout: requestTimeoutMs });
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    const startedAtMs = performance.now();
    const logged: Logged = {};
    if (pages.admit(request, response)) return;
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
      await Promise.all([...pools.values()].map((it) => it.close()));
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

function writeJson(response: ServerResponse, status: number, body: object | string, type = 'application/json'): void {
  const json = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = { 'Content-Type': type, 'Content-Length': Buffer.byteLength(json) };
  response.writeHead(status, headers).write(json);
}
