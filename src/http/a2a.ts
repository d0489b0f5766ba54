import type { Request, Response } from 'express';
import { countRequest, toRateLimitFields } from '../limits/window-limit.js';
import { findOnlyPerson } from '../view/grant.js';
import type { AgentParts } from './a2a-handler.js';
import { requireMediaType } from './body.js';
import { sendRefusal, startStream } from './dispatch.js';
import type { Exchange } from './exchange.js';
import type { InnerCalls } from './inner-calls.js';
import { isMcp, readMessage } from './mcp.js';
import { rejectMethod } from './route.js';

export function isA2a({ path }: Request): boolean {
  return path === '/a2a';
}

/** Returns true for the endpoints of agents, which have the same credentials, scopes and limits. */
export function isAgentPath(request: Request): boolean {
  return isMcp(request) || isA2a(request);
}

const versionHint = 'This agent speaks A2A 1.0: send the header A2A-Version: 1.0, and methods such as SendMessage';
/** Error codes of JSON-RPC 2.0. */
const codes = { parse: -32_700, invalid: -32_600, internal: -32_603 };

/**
 * Serves the Agent2Agent protocol 1.0 at `/a2a` (JSON-RPC), without state between requests. As at `/mcp`, each request counts
 * as a call, and a skill runs the steps of its operation.
 */
export function serveA2a(calls: InnerCalls, now: () => number) {
  return async (exchange: Exchange, request: Request, response: Response): Promise<void> => {
    if (request.method !== 'POST') throw rejectMethod(response, ['POST']);
    requireMediaType(['application/json'], request.headers);
    const { allowances, refusal } = await countRequest(() => exchange.call?.admit());
    if (refusal) throw refusal;
    response.set(toRateLimitFields(allowances));
    const message = parse(await readMessage(request, response));
    const parts: AgentParts = {
      send: (it) => calls.respond(exchange, it),
      open: (it, listener) => calls.stream(exchange, it, response, listener),
      beat: () => void (response.headersSent && response.write(':\n\n')),
      hasOwnPerson: findOnlyPerson(exchange.caller) !== undefined,
      now,
    };
    await respond(message, readVersion(request), parts, response);
  };
}

/** Returns undefined for a text that is not JSON. */
function parse(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** A client without a version has the one before 1.0. */
function readVersion({ headers, query }: Request): unknown {
  return headers['a2a-version'] ?? query['A2A-Version'] ?? '0.3';
}

async function respond(
  message: Record<string, unknown> | undefined,
  version: unknown,
  parts: AgentParts,
  response: Response,
): Promise<void> {
  // Imported at the first request, because most deployments do not need it.
  const [{ JsonRpcTransportHandler, ServerCallContext }, { VersionNotSupportedError }, handlers] = await Promise.all([
    import('@a2a-js/sdk/server'),
    import('@a2a-js/sdk/errors'),
    import('./a2a-handler.js'),
  ]);
  const fail = (error: object) => response.json({ jsonrpc: '2.0', id: readId(message), error });
  if (message === undefined) return void fail({ code: codes.parse, message: 'The body is not JSON' });
  // The library returns every id, also an object with texts.
  if (!hasPlainId(message)) return void fail({ code: codes.invalid, message: 'The id is not a string or a number' });
  if (version !== '1.0')
    return void fail(JsonRpcTransportHandler.mapToJSONRPCError(new VersionNotSupportedError(versionHint)));
  const transport = new JsonRpcTransportHandler(handlers.createA2aHandler(parts));
  const answer = await transport.handle(message, new ServerCallContext({ requestedVersion: '1.0' }));
  if (!(Symbol.asyncIterator in answer)) return void response.json(withoutInternals(answer));
  try {
    await sendEvents(answer, response);
  } catch (error) {
    if (error instanceof handlers.StreamRefusedError) return sendRefusal(response, error.refusal);
    if (response.headersSent) throw error;
    fail(JsonRpcTransportHandler.mapToJSONRPCError(error));
  }
}

function readId(message: Record<string, unknown> | undefined): string | number | null {
  const id = message?.['id'];
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

function hasPlainId(message: Record<string, unknown> | null): boolean {
  const id = message?.['id'];
  return id === undefined || id === null || typeof id === 'string' || typeof id === 'number';
}

/** The text of an internal error could contain what the caller sent. */
function withoutInternals(answer: object): object {
  const { error } = answer as { readonly error?: { readonly code: number } };
  if (error?.code !== codes.internal) return answer;
  return { ...answer, error: { code: codes.internal, message: 'The message has not the form of A2A 1.0' } };
}

/** Sends events while they arrive. The first one decides whether the stream is refused. */
async function sendEvents(events: AsyncGenerator<unknown>, response: Response): Promise<void> {
  const first = await events.next();
  response.setHeader('Content-Type', 'text/event-stream');
  startStream(response);
  response.write(toEvent(first.value));
  for await (const event of events) response.write(toEvent(event));
  response.end();
}

function toEvent(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
