import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Express, Request, Response } from 'express';
import type { Logger } from 'pino';
import { listen } from '../listen.js';
import { answerBrokenRequest } from './broken-request.js';
import { messageClassesOf } from './messages.js';
import { type ResponseTracker, trackResponses } from './track-responses.js';
import { warnSparingly } from './warn-sparingly.js';

/** Slow senders hold a connection no longer than this; an honest request is sent within milliseconds. */
const sendMs = { headers: 5_000, request: 10_000, checkEvery: 1_000 };
/** A connection on which no byte moves for this long while a response is due is closed: the client does not read. */
const idleMs = 120_000;
/** Between two requests of one connection: longer than load balancers keep theirs, so that they close first. */
const keepAliveMs = 65_000;
/** Of a request's head: keys and ids are short. */
const headerBytesMax = 8_192;

/** How long requests under way may take to finish once the server closes. */
const graceMs = 8_000;
/** How long clients may take to close their connections after the last answer. */
const lingerMs = 500;

export interface RunningServer {
  readonly url: string;
  /** Waits for the requests that are under way, within bounds, then takes no more. */
  close(): Promise<void>;
}

export interface ServerParts {
  readonly host: string;
  readonly port: number;
  readonly connectionsMax: number;
  readonly log: Logger;
  /** Replaces the time after which a connection is idle, for tests. */
  readonly idleMs?: number;
}

/** Listens; rejects when the address cannot be had. Port 0 takes a free one. */
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
  // The body is asked for when it is wanted, after the key and the length have been looked at.
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, serve);
  server.on('clientError', answerBrokenRequest);
  const url = await listen(server, host, port);
  return {
    url,
    async close() {
      await Promise.race([settleAll(tracker), sleep(graceMs, undefined, { ref: false })]);
      const closed = once(server, 'close');
      // Idle connections go at once; by now every request that began in time has its answer.
      server.close();
      await Promise.race([closed, sleep(lingerMs, undefined, { ref: false })]);
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Resolves when the requests in flight at this moment are settled. */
async function settleAll(tracker: ResponseTracker): Promise<void> {
  const responses = tracker.all();
  // So that clients open no next request on a connection that is about to go.
  for (const response of responses) response.shouldKeepAlive = false;
  await Promise.all(responses.map((response) => once(response, 'close')));
}
