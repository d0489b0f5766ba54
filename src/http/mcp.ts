import type { IncomingHttpHeaders } from 'node:http';
import { createParser } from 'eventsource-parser';
import type { Request, Response } from 'express';
import { ProblemError } from '../contract/problem.js';
import { countRequest, toRateLimitFields } from '../limits/window-limit.js';
import { readBytes } from './body.js';
import type { Exchange } from './exchange.js';
import type { InnerCalls } from './inner-calls.js';
import { copyHead, findSubscribed, streamUpdates } from './mcp-subscription.js';
import { tools } from './tools.js';

/**
 * Maximum size of an MCP request body. Larger than the body limit of every operation, so that the operation itself
 * reports a text that is too long.
 */
const bodyBytesMax = 65_536;

/** The forms of a response: the message, or an event with the message. */
const forms = ['application/json', 'text/event-stream'] as const;

export function isMcp({ path }: Request): boolean {
  return path === '/mcp';
}

/**
 * Rejects web pages of foreign origins at the endpoints of agents, before all other checks, as the protocol requires. A page whose name
 * resolves to this host has its own name in `Origin` and in `Host`, so only `CORS_ORIGINS` is trusted.
 *
 * Accepts a key as `Authorization: Bearer sk_…`, because agents send keys in this header.
 */
export function acceptAgent({ headers }: Request, corsOrigins: readonly string[]): void {
  const { origin, authorization = '' } = headers;
  if (origin !== undefined && !corsOrigins.includes(origin)) throw new ProblemError('origin_not_allowed');
  const [, key] = /^Bearer (sk_\w+)$/i.exec(authorization) ?? [];
  headers['x-service-key'] ??= key;
}

/**
 * Serves the Model Context Protocol at `/mcp`, without state between requests. Each request counts as a call. A tool call
 * runs the steps of its operation. Session limits, validation, logs and metrics are therefore the same as for other
 * requests.
 */
export function serveMcp(calls: InnerCalls, now: () => number) {
  return async (exchange: Exchange, request: Request, response: Response): Promise<void> => {
    const { allowances, refusal } = await countRequest(() => exchange.call?.admit());
    if (refusal) throw refusal;
    response.set(toRateLimitFields(allowances));
    // Imported at the first request, because the SDK and its schemas use memory that most deployments do not need.
    const [{ createMcpHandler, InMemoryServerEventBus }, { createMcpServer, readSessionId }] = await Promise.all([
      import('@modelcontextprotocol/server'),
      import('./mcp-server.js'),
    ]);
    const bus = new InMemoryServerEventBus();
    const form = findForm(request);
    // Clients before 2026-07-28 subscribe in a session, which the service does not have.
    const handler = createMcpHandler(
      ({ era }) => createMcpServer((it) => calls.respond(exchange, it), now, { subscribe: era === 'modern' }),
      {
        bus,
        maxSubscriptions: 1,
        // The streams of the subscription send comments.
        keepAliveMs: 0,
        responseMode: form === 'text/event-stream' ? 'sse' : 'auto',
      },
    );
    const body = request.method === 'POST' ? await readMessage(request, response) : undefined;
    if (body !== undefined) requireToolScope(exchange, body);
    const answer = await handler.fetch(toWebRequest(request, body, form));
    if (body !== undefined && bus.listenerCount > 0)
      return streamUpdates({
        calls,
        exchange,
        response,
        handler,
        answer,
        subscribed: findSubscribed(body, readSessionId),
      });
    const text = await answer.text();
    const messages: string[] = [];
    if (form === 'application/json') createParser({ onEvent: ({ data }) => void messages.push(data) }).feed(text);
    copyHead(answer, response);
    // For protocol versions before 2026-07-28, the handler always sends an event stream. Only a subscription has several
    // events.
    if (messages.length === 1) response.setHeader('Content-Type', 'application/json').end(messages[0]);
    else response.end(text);
  };
}

/**
 * Rejects a call of a tool with an access token that lacks the scope of the tool (403), so that the agent asks the person
 * for it. A key gets the error as the result of the tool, because an agent cannot ask for another key.
 */
function requireToolScope({ caller }: Exchange, body: string): void {
  if (caller?.kind !== 'oauth') return;
  const called = readToolName(body);
  const scope = tools.find((it) => it.name === called)?.scope;
  if (scope !== undefined && !caller.scopes.includes(scope))
    throw new ProblemError('insufficient_scope', { values: { scope } });
}

/** Returns the tool that a message calls. Undefined for every other message, and for a body that is not JSON. */
function readToolName(body: string): unknown {
  try {
    const { method, params } = JSON.parse(body);
    return method === 'tools/call' ? params.name : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the form that the client prefers: JSON if it has no preference, undefined if it accepts neither. */
function findForm(request: Request): (typeof forms)[number] | undefined {
  if (!request.headers.accept) return 'application/json';
  // Both forms are always UTF-8, and some clients name it.
  const accepted = request.accepts(forms.flatMap((it) => [it, `${it}; charset=utf-8`]));
  return forms.find((it) => accepted && accepted.startsWith(it));
}

function toWebRequest({ method, headers }: Request, body: string | undefined, form: string | undefined) {
  const kept = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];
  // The handler requires a client to accept both forms.
  const all: IncomingHttpHeaders = { ...headers, ...(form !== undefined && { accept: forms.join() }) };
  const sent = kept.flatMap((name) => (all[name] === undefined ? [] : [[name, String(all[name])]]));
  const init = { method, headers: Object.fromEntries(sent), ...(body !== undefined && { body }) };
  return new globalThis.Request('http://localhost/mcp', init);
}

/** Reads the body of a message of an agent. */
export async function readMessage(request: Request, response: Response): Promise<string> {
  const body = (await readBytes(request, response, bodyBytesMax)).toString();
  // MCP and A2A have no batches. One request would otherwise run any number of messages.
  if (/^\s*\[/.test(body)) throw new ProblemError('invalid_payload', { cause: 'a JSON array' });
  return body;
}
