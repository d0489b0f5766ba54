/**
 * Prints the state changes of a session or an account. Starts a receiver on loopback, registers a webhook for it, then verifies and
 * prints each event. Removes the webhook at the end.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ProblemError, type StateChange } from '../client/src/index.js';
import { verifyWebhook } from '../client/src/webhooks.js';
import { type Colors, colorsFor, paint, scoreBar } from './colors.js';
import { connect, explain, type ServiceOptions } from './service.js';
import { stopOnSignals } from './stop-on-signals.js';
import { pad } from './terminal/table.js';

const barWidth = 25;
const stateWidth = 12;

export interface ListenOptions extends ServiceOptions {
  /** Default: all sessions of the account. */
  readonly session?: string;
}

export async function listen({ session, ...service }: ListenOptions, env: NodeJS.ProcessEnv): Promise<void> {
  const { webhooks } = connect(service);
  const stopped = once(stopOnSignals(0), 'abort');
  let secret = '';
  const server = await startReceiver(() => secret, session === undefined, colorsFor(process.stdout, env));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const watched = session === undefined ? {} : { session_id: session };
    const webhook = await webhooks.register({ url, events: ['state_change'], ...watched });
    try {
      // The webhook may remain from an earlier run with the same port. The service then returns it without its secret.
      secret = webhook.secret ?? (await webhooks.rotateSecret(webhook.id)).secret ?? '';
      console.log(
        `Listening to ${session === undefined ? 'all sessions' : `session ${session}`} with webhook ${webhook.id}. Press Ctrl-C to stop and remove it.`,
      );
      await stopped;
    } finally {
      await webhooks.remove(webhook.id);
    }
    console.log(`Removed webhook ${webhook.id}.`);
  } catch (error) {
    throw isLoopbackRefused(error)
      ? new Error(
          `the service does not allow webhooks to this machine (${error.message}): start it with WEBHOOK_ALLOW_LOOPBACK=1`,
        )
      : explain(error, service.url);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

function isLoopbackRefused(error: unknown): error is ProblemError {
  return error instanceof ProblemError && error.faults.some(({ pointer }) => pointer === '/url');
}

/** Prints each event. Rejects requests with an invalid signature, as every receiver should. */
async function startReceiver(secret: () => string, namesSession: boolean, colors: Colors): Promise<Server> {
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const isVerified = await verifyWebhook({ headers: request.headers, body, secret: secret() }).then(
      () => true,
      () => false,
    );
    response.writeHead(isVerified ? 204 : 401).end();
    try {
      const event: StateChange = JSON.parse(body.toString());
      const line = formatEvent(event, isVerified, colors);
      console.log(namesSession ? `${line}  ${event.session_id}` : line);
    } catch {
      console.log(colors.red('received a request that is not an event'));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Formats one event in at most 100 columns. */
function formatEvent(event: StateChange, isVerified: boolean, colors: Colors): string {
  const { timestamp, previous_state, new_state, stress_score } = event;
  const before = paint(previous_state, previous_state.padStart(stateWidth), colors);
  const cells = [
    colors.dim(timestamp.slice(11, 23)),
    `${before} → ${pad(paint(new_state, new_state, colors), stateWidth)}`,
    scoreBar(stress_score, barWidth, colors),
    String(stress_score).padStart(3),
    isVerified ? colors.green('verified') : colors.red('NOT VERIFIED'),
  ];
  return cells.join('  ');
}
