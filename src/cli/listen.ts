/**
 * Prints the state changes of a session. Starts a receiver on loopback, registers a webhook for it, then verifies and
 * prints each event. Removes the webhook at the end.
 */
import type { Surroundings } from './command.js';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isGenuine } from '../../examples/receiver/verify.js';
import type { Schema } from '../contract.js';
import { type Colours, coloursFor } from '../terminal/colours.js';
import { eventLine } from '../terminal/event-line.js';
import { rejectedKey, requireKey } from '../terminal/service.js';

const responseLimitMs = 10_000;

export interface ListenOptions {
  readonly session: string;
  readonly url: string;
  readonly key?: string;
}

export async function listen({ session, url, ...options }: ListenOptions, env: Surroundings['env']): Promise<void> {
  const key = requireKey(options.key);
  const stopped = signalled();
  let secret = '';
  const server = await startReceiver(() => secret, coloursFor(process.stdout, env));
  const request = createRequest(url, key);
  try {
    const receiver = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const webhook = await request('POST', '/webhooks/register', {
      url: receiver,
      events: ['state_change'],
      session_id: session,
    });
    try {
      // The webhook may remain from an earlier run with the same port. The service then returns it without its secret.
      secret = (webhook.secret ? webhook : await request('POST', `/webhooks/${webhook.id}/rotate-secret`)).secret ?? '';
      console.log(`Listening to session ${session} with webhook ${webhook.id}. Press Ctrl-C to stop and remove it.`);
      await stopped;
    } finally {
      await request('DELETE', `/webhooks/${webhook.id}`);
    }
    console.log(`Removed webhook ${webhook.id}.`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** Prints each event. Rejects requests with an invalid signature, as every receiver should. */
async function startReceiver(secret: () => string, colours: Colours): Promise<Server> {
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const isVerified = isGenuine(body, request.headers, secret());
    response.writeHead(isVerified ? 204 : 401).end();
    try {
      console.log(eventLine(JSON.parse(body.toString()), isVerified, colours));
    } catch {
      console.log(colours.red('received a request that is not an event'));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

type Registered = Schema<'Webhook'> & { readonly secret?: string };

/**
 * Returns a function that calls the service. If a call fails, the function rejects with one line that names the remedy.
 */
function createRequest(url: string, key: string) {
  return async (method: string, path: string, body?: Schema<'WebhookRegistration'>): Promise<Registered> => {
    const init: RequestInit = {
      method,
      headers: { 'X-Service-Key': key, 'Content-Type': 'application/json' },
      signal: AbortSignal.timeout(responseLimitMs),
      ...(body && { body: JSON.stringify(body) }),
    };
    const response = await fetch(url + path, init).catch((error: Error & { cause?: { code?: string } }) => {
      const cause = error.cause?.code ?? error.message;
      throw new Error(`cannot reach the service at ${url} (${cause}): start it, or set --url`);
    });
    const text = await response.text();
    if (!response.ok) throw new Error(refusalOf(response.status, text));
    return JSON.parse(text || '{}');
  };
}

function refusalOf(status: number, text: string): string {
  const { detail = text, errors = [] } = problemOf(text);
  if (status === 401) return rejectedKey(detail).message;
  if (errors.some(({ pointer }) => pointer === '/url'))
    return `the service does not allow webhooks to this machine (${detail}): start it with WEBHOOK_ALLOW_LOOPBACK=1`;
  const [fault] = errors;
  return `the service responded with ${status}: ${fault?.pointer ? `${fault.pointer}: ` : ''}${detail}`;
}

/**
 * Returns the problem in a body. Returns an empty object if the body is not JSON, because the URL may belong to another
 * program.
 */
function problemOf(text: string): Partial<Schema<'ValidationProblem'>> {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Resolves on Ctrl-C, on SIGTERM, or when standard output is closed (`npm run listen … | head`). */
function signalled(): Promise<void> {
  return new Promise((resolve) => {
    const stop = (exitCode: number) => {
      process.exitCode = exitCode;
      resolve();
    };
    process.once('SIGINT', () => stop(0));
    process.once('SIGTERM', () => stop(143));
    process.stdout.on('error', () => stop(0));
  });
}
