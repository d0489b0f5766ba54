import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Express, Request, Response } from 'express';
import type { Logger } from 'pino';
import { connections as connectionLimits, sources } from '../../generated/spec.js';
import type { ProblemCode } from '../contract/contract.js';
import { ProblemError } from '../contract/problem.js';
import { atMostEvery } from '../observe/at-most-every.js';
import { listen } from '../observe/start.js';
import { createMessageClasses, mayArriveSlowly } from './messages.js';

/** Time limits for slow senders in ms. A normal request arrives within milliseconds. */
const sendMs = { headers: 5_000, request: 10_000, checkEvery: 1_000 };
/** Idle time after which a connection closes during a response, in ms. No byte moves if the client does not read. */
const idleMs = 120_000;
/**
 * Keep-alive time of idle connections in ms. Longer than that of common load balancers, so that the load balancer closes
 * first.
 */
const keepAliveMs = 65_000;
/** Maximum size of the request's header section, in bytes. Keys and ids are short. */
const headerBytesMax = 8_192;

/** Pause between two log lines about an event that clients can trigger at will, in ms. */
const warnMs = 10_000;

/** Maximum time that the closing server waits for requests in flight, in ms. */
const graceMs = 8_000;
/** Maximum time that clients have to close their connections after the last response, in ms. */
const lingerMs = 500;

interface ServerParts {
  readonly host: string;
  readonly port: number;
  readonly connectionsMax: number;
  readonly log: Logger;
  /** Idle time of connections in ms. Tests shorten it. */
  readonly idleMs?: number;
  /** Time limit for sending a request in ms. Tests change it. */
  readonly requestMs?: number | undefined;
}

/** Starts the server. Rejects when it cannot listen on the address. Port 0 selects a free port. */
export async function startServer(app: Express, parts: ServerParts) {
  const { host, port, connectionsMax, log, requestMs = sendMs.request } = parts;
  const server = createServer({
    ...createMessageClasses(app),
    requireHostHeader: false,
    maxHeaderSize: headerBytesMax,
    headersTimeout: parts.requestMs ?? sendMs.headers,
    // Node has one limit for all requests. `endSlowBodies` ends those that are no uploads earlier.
    requestTimeout: requestMs + sources.upload_seconds * 1000,
    connectionsCheckingInterval: sendMs.checkEvery,
    keepAliveTimeout: keepAliveMs,
  });
  server.maxConnections = connectionsMax;
  server.timeout = parts.idleMs ?? idleMs;
  let connections = 0;
  const warn = atMostEvery(warnMs, () => {
    log.warn({ connections }, 'connection closed: too many queued responses');
    connections = 0;
  });
  const tracker = trackResponses(server, () => {
    connections += 1;
    warn();
  });
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    if (tracker.add(response)) app(request as Request, response as Response);
  };
  // With `Expect: 100-continue`, the app requests the body only after it has checked the key and the length.
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, serve);
  server.on('clientError', respondToBrokenRequest);
  const slowBodies = endSlowBodies(tracker, requestMs);
  const url = await listen(server, host, port);
  return {
    url,
    /** Waits for the requests in flight, for a limited time, then closes all connections. */
    async close(): Promise<void> {
      clearInterval(slowBodies);
      await Promise.race([settleAll(tracker), sleep(graceMs, undefined, { ref: false })]);
      const closed = once(server, 'close');
      // Closes idle connections immediately. All requests in flight have settled or exceeded the grace period.
      server.close();
      await Promise.race([closed, sleep(lingerMs, undefined, { ref: false })]);
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Resolves when the requests that are currently in flight are settled. */
async function settleAll(tracker: ResponseTracker): Promise<void> {
  const responses = tracker.all();
  // Announces the close, so that clients do not send another request on the connection.
  for (const response of responses) response.shouldKeepAlive = false;
  await Promise.all(responses.map((response) => once(response, 'close')));
}

/** Ends requests whose bodies do not arrive within `requestMs`, except for uploads. Returns the timer that looks for them. */
function endSlowBodies(tracker: ResponseTracker, requestMs: number): NodeJS.Timeout {
  let sinceMs = new Map<ServerResponse, number>();
  const check = () => {
    const nowMs = performance.now();
    const arriving = tracker.all().filter(({ req }) => !req.complete && !mayArriveSlowly(req));
    sinceMs = new Map(arriving.map((it) => [it, sinceMs.get(it) ?? nowMs]));
    for (const [response, startMs] of sinceMs) if (nowMs - startMs >= requestMs) endSlowBody(response);
  };
  return setInterval(check, sendMs.checkEvery).unref();
}

function endSlowBody(response: ServerResponse): void {
  // Another response would be read as part of the one that is sent, or as that of an earlier request.
  if (response.headersSent || !response.socket) return void response.req.socket.destroy();
  respondToBrokenRequest(Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), response.socket);
}

/** How long a client may take to close its half of the connection after an error response, in ms. */
const brokenLingerMs = 1_000;

/** Sends a problem response for a request that the HTTP parser rejects. Express never gets such a request. */
function respondToBrokenRequest(error: Error & { code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const requestId = randomUUID();
  const problem = new ProblemError(findCode(error.code));
  const body = JSON.stringify(problem.toBody(requestId));
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `X-Request-Id: ${requestId}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // Closes the connection even if the client does not.
  const timer = setTimeout(() => socket.destroy(), brokenLingerMs);
  socket.once('close', () => clearTimeout(timer));
}

function findCode(code: string | undefined): ProblemCode {
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large';
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request_timeout' : 'invalid_payload';
}

type ResponseTracker = ReturnType<typeof trackResponses>;

/**
 * Tracks the responses of each connection. When a connection closes, Node emits `close` only for the response that is
 * being sent, but not for the queued responses of pipelined requests. This function emits `close` for the queued
 * responses. Otherwise, middleware that waits for `close` would never continue.
 */
function trackResponses(server: Server, onTooMany: () => void) {
  const connections = new Map<Socket, ServerResponse[]>();
  server.on('connection', (socket: Socket) => {
    connections.set(socket, []);
    socket.once('close', () => {
      // Iterates over a copy, because settling removes the response from the list.
      for (const response of [...(connections.get(socket) ?? [])]) settleQueued(response);
      connections.delete(socket);
    });
  });
  return {
    /**
     * Adds a response until it settles. Returns false if the connection is closed or has too many queued responses. The
     * caller must then drop the request.
     */
    add(response: ServerResponse): boolean {
      const { socket } = response.req;
      const responses = connections.get(socket);
      // Node parses all requests of one network read together. Destroying the socket does not stop the remaining
      // requests.
      if (!responses || socket.destroyed) return false;
      if (responses.length > connectionLimits.queued_responses_max) {
        socket.destroy();
        onTooMany();
        return false;
      }
      responses.push(response);
      response.once('close', () => responses.splice(responses.indexOf(response), 1));
      return true;
    },
    all: (): ServerResponse[] => [...connections.values()].flat(),
  };
}

/** Settles a queued response, which has no socket yet. */
function settleQueued(response: ServerResponse): void {
  if (response.socket) return;
  response.destroy();
  response.emit('close');
}
