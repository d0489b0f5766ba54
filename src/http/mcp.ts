import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Express, Request, Response } from 'express';
import getRawBody from 'raw-body';
import type { SendRequest } from '../mcp/call-tool.js';
import { ProblemError } from '../problem.js';
import { type Authentication, authenticate } from './authenticate.js';
import { inOrder, type Middleware } from './in-order.js';
import { requestWithin } from './internal-request.js';

/**
 * Maximum size of an MCP request body. Larger than the body limit of every operation, so that the operation itself
 * reports a text that is too long.
 */
const bodyBytesMax = 65_536;

/**
 * Serves the Model Context Protocol at `/mcp`, without state between requests. A tool call becomes an HTTP request to
 * its operation inside the process. Limits, validation, logs and metrics are therefore the same as for other requests.
 */
export function mcp(app: Express, authentication: Authentication): Middleware {
  const identify = inOrder([
    useBearerKey,
    authenticate(authentication),
    (request, response) => serve(app, request, response),
  ]);
  return (request, response, next) => (request.path === '/mcp' ? identify(request, response, next) : next());
}

/** Accepts a key as `Authorization: Bearer sk_…`, because agents send keys in this header. */
const useBearerKey: Middleware = (request, _response, next) => {
  const [, key] = /^Bearer (sk_\w+)$/i.exec(request.headers.authorization ?? '') ?? [];
  request.headers['x-service-key'] ??= key;
  next();
};

async function serve(app: Express, request: Request, response: Response): Promise<void> {
  // Imported at the first request, because the SDK and its schemas use memory that most deployments do not need.
  const [{ createMcpHandler }, { createMcpServer }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('../mcp/server.js'),
  ]);
  const handler = createMcpHandler(() => createMcpServer(sendWithin(app, request), Date.now), {
    // The tools do not change, so there is nothing to subscribe to.
    maxSubscriptions: 0,
  });
  const { status, headers, body } = await handler.fetch(await toWebRequest(request));
  response.status(status);
  headers.forEach((value, name) => void response.setHeader(name, value));
  if (!body) return void response.end();
  await pipeline(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]), response);
}

async function toWebRequest(request: Request): Promise<globalThis.Request> {
  const { method, headers } = request;
  const kept = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];
  const sent = kept.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]]));
  const body = method === 'POST' ? { body: await readBody(request) } : {};
  return new globalThis.Request('http://localhost/mcp', { method, headers: Object.fromEntries(sent), ...body });
}

async function readBody(request: Request): Promise<string> {
  try {
    return await getRawBody(request, { limit: bodyBytesMax, encoding: 'utf8' });
  } catch (cause) {
    const isTooLarge = (cause as { type?: string }).type === 'entity.too.large';
    throw new ProblemError(isTooLarge ? 'body_too_large' : 'invalid_payload', { cause });
  }
}

/** Returns a function that sends requests to the app inside the process, with the caller's key and address. */
function sendWithin(app: Express, caller: Request): SendRequest {
  const headers = { 'x-service-key': caller.get('X-Service-Key') ?? '', 'content-type': 'application/json' };
  return async ({ method, url, body }) => {
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const { status, header, text } = await requestWithin(app, { method, url, headers, address: caller.ip, ...content });
    return { status, retryAfter: header('Retry-After'), body: JSON.parse(text) };
  };
}
