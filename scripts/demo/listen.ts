/**
 * Shows the changes of a session's state as they arrive: registers a webhook at a receiver of its own on loopback,
 * verifies and prints each event, and removes the webhook at the end.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Command, InvalidArgumentError, Option } from 'commander';
import { isGenuine } from '../../examples/receiver/verify.js';
import type { Schema } from '../../src/contract.js';
import { readBaseUrl } from '../terminal/client.js';
import { coloursFor } from '../terminal/colours.js';
import { eventLine } from '../terminal/event-line.js';

const answerLimitMs = 10_000;
const keyRemedy = 'give one with --key or SERVICE_KEY; npm run keys -- create --account NAME makes one';
const colours = coloursFor(process.stdout, process.env);

interface Options {
  readonly session: string;
  readonly url: string;
  readonly key?: string;
}

new Command('listen')
  .description(
    "Print a session's changes of state as they arrive at a webhook on this machine, where the service runs.",
  )
  .requiredOption('--session <id>', 'the session to watch')
  .option('--url <url>', 'where the service listens', readUrl, 'http://127.0.0.1:8080')
  .addOption(new Option('--key <key>', 'API key').env('SERVICE_KEY'))
  .addHelpText('after', '\nThe service must allow loopback: an embedded database does, else WEBHOOK_ALLOW_LOOPBACK=1.')
  .action(listen)
  .parseAsync()
  .catch((error: unknown) => {
    console.error(`error: ${(error as Error).message}`);
    process.exitCode ||= 1;
  });

async function listen({ session, url, key }: Options): Promise<void> {
  // Checked here, because commander would repeat a malformed key on the terminal.
  if (!key || !/^[!-~]+$/.test(key)) throw new Error(`no usable key: ${keyRemedy}`);
  const stopped = signalled();
  let secret = '';
  const server = await startReceiver(() => secret);
  const request = createRequest(url, key);
  try {
    const receiver = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const webhook = await request('POST', '/webhooks/register', {
      url: receiver,
      events: ['state_change'],
      session_id: session,
    });
    try {
      // One that an earlier run left behind at this very port keeps its secret to itself.
      secret = (webhook.secret ? webhook : await request('POST', `/webhooks/${webhook.id}/rotate-secret`)).secret ?? '';
      console.log(`Listening to the session ${session}, webhook ${webhook.id}; Ctrl-C ends and removes it.`);
      await stopped;
    } finally {
      await request('DELETE', `/webhooks/${webhook.id}`);
    }
    console.log(`The webhook ${webhook.id} is removed.`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** Prints what comes; what is not verified is refused, as a receiver should. */
async function startReceiver(secret: () => string): Promise<Server> {
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const isVerified = isGenuine(body, request.headers, secret());
    response.writeHead(isVerified ? 204 : 401).end();
    try {
      console.log(eventLine(JSON.parse(body.toString()), isVerified, colours));
    } catch {
      console.log(colours.red('something else came that is no event'));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

type Answered = Schema<'Webhook'> & { readonly secret?: string };

/** Every failure is one line that names the remedy. */
function createRequest(url: string, key: string) {
  return async (method: string, path: string, body?: Schema<'WebhookRegistration'>): Promise<Answered> => {
    const init: RequestInit = {
      method,
      headers: { 'X-Service-Key': key, 'Content-Type': 'application/json' },
      signal: AbortSignal.timeout(answerLimitMs),
      ...(body && { body: JSON.stringify(body) }),
    };
    const response = await fetch(url + path, init).catch((error: Error & { cause?: { code?: string } }) => {
      const cause = error.cause?.code ?? error.message;
      throw new Error(`cannot reach the service at ${url} (${cause}): start it with npm start, or name it with --url`);
    });
    const text = await response.text();
    if (!response.ok) throw new Error(refusalOf(response.status, text));
    return JSON.parse(text || '{}');
  };
}

function refusalOf(status: number, text: string): string {
  const { detail = text, errors = [] } = problemOf(text);
  if (status === 401) return `the service refused the key (401 ${detail}): ${keyRemedy}`;
  if (errors.some(({ pointer }) => pointer === '/url'))
    return `the service refuses this machine as a target (${detail}): start it with WEBHOOK_ALLOW_LOOPBACK=1`;
  const [fault] = errors;
  return `the service answered ${status}: ${fault?.pointer ? `${fault.pointer}: ` : ''}${detail}`;
}

/** Whoever answers need not be this service. */
function problemOf(text: string): Partial<Schema<'ValidationProblem'>> {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Ctrl-C, SIGTERM, or nobody reads any more (`npm run listen … | head`). */
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

function readUrl(text: string): string {
  const url = readBaseUrl(text);
  if (url === undefined) throw new InvalidArgumentError('It is an http or https address.');
  return url;
}
