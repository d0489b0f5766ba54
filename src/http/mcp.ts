import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Express, Request, Response } from 'express';
import getRawBody from 'raw-body';
import type { SendRequest } from '../mcp/call-tool.js';
import { rateLimitFields } from '../limits/allowance.js';
import { ProblemError } from '../problem.js';
import type { Middleware } from './in-order.js';

/**
 * Maximum size of an MCP request body. Larger than the body limit of every operation, so that the operation itself
 * reports a text that is too long.
 */
const bodyBytesMax = 65_536;

const path = '/mcp';

/**
 * Rejects web pages of foreign origins at `/mcp`, before all other checks, as the protocol requires. A page whose name
 * resolves to this host has its own name in `Origin` and in `Host`, so only `CORS_ORIGINS` is trusted.
 *
 * Accepts a key as `Authorization: Bearer sk_…`, because agents send keys in this header.
 */
export function enterMcp(corsOrigins: readonly string[]): Middleware {
  return (request, _response, next) => {
    if (request.path !== path) return next();
    const { origin, authorization = '' } = request.headers;
    if (origin !== undefined && !corsOrigins.includes(origin)) throw new ProblemError('origin_not_allowed');
    const [, key] = /^Bearer (sk_\w+)$/i.exec(authorization) ?? [];
    request.headers['x-service-key'] ??= key;
    next();
  };
}

/**
 * Serves the Model Context Protocol at `/mcp`, without state between requests. Each request counts as a call. A tool
 * call becomes a request to its operation in `operations`, an app inside the process. Session limits, validation, logs and
 * metrics are therefore the same as for other requests.
 */
export function serveMcp(operations: Express): Middleware {
  return async (request, response, next) => {
    if (request.path !== path) return next();
    const month = await response.locals.call?.admit();
    response.set(rateLimitFields(month ? [month] : []));
    await serve(operations, request, response);
  };
}

async function serve(operations: Express, request: Request, response: Response): Promise<void> {
  // Imported at the first request, because the SDK and its schemas use memory that most deployments do not need.
  const [{ createMcpHandler }, { createMcpServer }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('../mcp/server.js'),
  ]);
  const handler = createMcpHandler(() => createMcpServer(sendWithin(operations, response.locals), Date.now), {
    // The tools do not change, so there is nothing to subscribe to.
    maxSubscriptions: 0,
  });
  const answer = await handler.fetch(await toWebRequest(request));
  // The body is sent as a whole, because every response has one message.
  const text = await answer.text();
  response.status(answer.status);
  answer.headers.forEach((value, name) => void response.setHeader(name, value));
  response.end(text);
}

async function toWebRequest(request: Request): Promise<globalThis.Request> {
  const { method, headers } = request;
  const kept = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];
  const sent = kept.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]]));
  const body = method === 'POST' ? { body: await readBody(request) } : {};
  return new globalThis.Request('http://localhost/mcp', { method, headers: Object.fromEntries(sent), ...body });
}

async function readBody(request: Request): Promise<string> {
  const body = await receive(request);
  // MCP has no batches. One request would otherwise run any number of messages.
  if (/^\s*\[/.test(body)) throw new ProblemError('invalid_payload', { cause: 'a JSON array' });
  return body;
}

async function receive(request: Request): Promise<string> {
  try {
    return await getRawBody(request, { limit: bodyBytesMax, encoding: 'utf8' });
  } catch (cause) {
    const isTooLarge = (cause as { type?: string }).type === 'entity.too.large';
    throw new ProblemError(isTooLarge ? 'body_too_large' : 'invalid_payload', { cause });
  }
}

/** Returns a function that sends requests to the operations inside the process, as the caller of `origin`. */
function sendWithin(operations: Express, origin: Express.Locals): SendRequest {
  const headers = { 'content-type': 'application/json' };
  return async ({ method, url, body }) => {
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const { status, header, text } = await requestWithin(operations, { method, url, headers, origin, ...content });
    return { status, retryAfter: header('Retry-After'), body: JSON.parse(text) };
  };
}

type Origin = Pick<Express.Locals, 'caller' | 'scopes'>;

interface InternalRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The caller of the request that caused this one. */
  readonly origin: Origin;
}

interface InternalResponse {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly text: string;
}

/** Passes a request through the middleware of the app without a connection. Resolves when the response is complete. */
function requestWithin(app: Express, { body = '', ...head }: InternalRequest): Promise<InternalResponse> {
  const request: IncomingMessage = Object.assign(new IncomingMessage(new Socket()), head, {
    httpVersion: '1.1',
    complete: true,
  });
  request.headers = {
    host: 'localhost',
    ...head.headers,
    ...(body && { 'content-length': String(Buffer.byteLength(body)) }),
  };
  request.push(body);
  request.push(null);
  const response = new ServerResponse(request);
  return new Promise((resolve) => {
    // `response.end` writes no bytes, because there is no connection. The event `close` is therefore emitted here.
    response.end = (chunk?: unknown) => {
      const header = (name: string) => response.getHeader(name)?.toString();
      resolve({ status: response.statusCode, header, text: chunk?.toString() ?? '' });
      response.emit('close');
      return response;
    };
    app(request as Request, response as Response);
  });
}

/**
 * Accepts the caller of an internal request. The request that caused it was authenticated, admitted and counted, so the
 * internal request is not.
 */
export const acceptCaller: Middleware = (request, { locals }, next) => {
  const { caller, scopes } = (request as unknown as InternalRequest).origin;
  Object.assign(locals, { caller, scopes });
  next();
};
