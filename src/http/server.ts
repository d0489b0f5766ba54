import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Express, Request, Response } from 'express';
import type { Logger } from 'pino';
import type { ProblemCode } from '../contract/contract.js';
import { listen } from '../observe/start.js';
import { ProblemError } from '../contract/problem.js';
import { messageClassesOf } from './messages.js';
import { type ResponseTracker, trackResponses, warnSparingly } from './track-responses.js';

/** Time limits for slow senders, ms. A normal request arrives within milliseconds. */
const sendMs = { headers: 5_000, request: 10_000, checkEvery: 1_000 };
/** Idle time after which a connection closes during a response, ms. No byte moves if the client does not read. */
const idleMs = 120_000;
/**
 * Keep-alive time of idle connections, ms. Longer than that of common load balancers, so that the load balancer closes
 * first.
 */
const keepAliveMs = 65_000;
/** Maximum size of the request's header section, in bytes. Keys and ids are short. */
const headerBytesMax = 8_192;

/** Maximum time that the closing server waits for requests in flight, ms. */
const graceMs = 8_000;
/** Maximum time that clients have to close their connections after the last response, ms. */
const lingerMs = 500;

export interface RunningServer {
  readonly url: string;
  /** Waits for the requests in flight, for a limited time, then closes all connections. */
  close(): Promise<void>;
}

export interface ServerParts {
  readonly host: string;
  readonly port: number;
  readonly connectionsMax: number;
  readonly log: Logger;
  /** Idle time of connections, ms. Tests shorten it. */
  readonly idleMs?: number;
}

/** Starts the server. Rejects when it cannot listen on the address. Port 0 selects a free port. */
export async function startServer(app: Express, parts: ServerParts): Promise<RunningServer> {
  const { host, port, connectionsMax, log } = parts;
  const server = createServer({
    ...messageClassesOf(app),
    requireHostHeader: false,
    maxHeaderSize: headerBytesMax,
    headersTimeout: sendMs.headers,
    requestTimeout: sendMs.request,
    connectionsCheckingInterval: sendMs.checkEvery,
    keepAliveTimeout: keepAliveMs,
  });
  server.maxConnections = connectionsMax;
  server.timeout = parts.idleMs ?? idleMs;
  const tracker = trackResponses(server, warnSparingly(log, 'connection closed: too many queued responses'));
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    if (tracker.add(response)) app(request as Request, response as Response);
  };
  // With `Expect: 100-continue`, the app requests the body only after it has checked the key and the length.
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, serve);
  server.on('clientError', respondToBrokenRequest);
  const url = await listen(server, host, port);
  return {
    url,
    async close() {
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

/** How long a client may take to close its half of the connection after an error response, ms. */
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
