import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Express } from 'express';
import { listen } from '../listen.js';
import { createUnderWay } from '../under-way.js';
import { answerBrokenRequest } from './broken-request.js';
import { messageClassesOf } from './messages.js';

/** Slow senders hold a connection no longer than this; an honest request is sent within milliseconds. */
const sendMs = { headers: 5_000, request: 10_000, checkEvery: 1_000 };
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

/** Listens; rejects when the address cannot be had. Port 0 takes a free one. */
export async function startServer(
  app: Express,
  { host, port, connectionsMax }: { host: string; port: number; connectionsMax: number },
): Promise<RunningServer> {
  const server = createServer(
    {
      ...messageClassesOf(app),
      requireHostHeader: false,
      maxHeaderSize: headerBytesMax,
      headersTimeout: sendMs.headers,
      requestTimeout: sendMs.request,
      connectionsCheckingInterval: sendMs.checkEvery,
      keepAliveTimeout: keepAliveMs,
    },
    app,
  );
  server.maxConnections = connectionsMax;
  // The body is asked for when it is wanted, after the key and the length have been looked at.
  server.on('checkContinue', app);
  server.on('checkExpectation', app);
  server.on('clientError', answerBrokenRequest);
  const underWay = trackRequests(server);
  const url = await listen(server, host, port);
  return {
    url,
    async close() {
      await Promise.race([underWay(), sleep(graceMs, undefined, { ref: false })]);
      const closed = once(server, 'close');
      // Idle connections go at once; by now every request that began in time has its answer.
      server.close();
      await Promise.race([closed, sleep(lingerMs, undefined, { ref: false })]);
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Asked, it waits for the requests that are under way at that moment. */
function trackRequests(server: Server): () => Promise<unknown> {
  const underWay = createUnderWay<ServerResponse>();
  const track = (_request: unknown, response: ServerResponse) => {
    const number = underWay.enter(response);
    response.on('close', () => underWay.leave(number));
  };
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, track);
  return () => {
    const responses = underWay.all();
    // So that clients open no next request on a connection that is about to go.
    for (const response of responses) response.shouldKeepAlive = false;
    return Promise.all(responses.map((response) => once(response, 'close')));
  };
}
