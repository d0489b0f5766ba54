import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Schema } from '../../../src/contract.js';
import { retention } from '../../../generated/spec.js';
import { must } from './finding.js';
import type { Scenario } from './scenario.js';
import type { Caller, Stage } from './stage.js';

const subject = 'purged-person';
const session = 'purged-session';
const idleMs = (retention.idle_sessions_hours + 1) * 3_600_000;
const gonePath = '/gone';
const limitMs = 20_000;
const lookMs = 100;

/** Checks that an erasure also deletes the deliveries of sessions that the purge has already deleted. */
export const purgedSessions: Scenario = {
  item: 5,
  title: 'erasure of a person whose sessions were purged',
  async prepare(stage) {
    const { attacker, clock, restart } = stage;
    const receiver = await startReceiver(stage.defer);
    for (const path of [gonePath, '/kept'])
      await attacker.request('/webhooks/register', {
        url: receiver + path,
        events: ['state_change'],
        session_id: session,
      });
    for (let reading = 0; reading < 3; reading += 1) await attacker.swing(session, subject);
    await until('the delivery failed', async () => (await failedOf(attacker)).length > 0);
    await clock.shift(idleMs);
    // Restarts the service, because the purge runs at startup and then every minute.
    await restart();
    await until('the session was purged', async () => (await statusOfSession(stage)) === 404);
  },
  async attack(stage) {
    const { attacker } = stage;
    const before = (await failedOf(attacker)).length;
    const erased = await erase(stage);
    const { webhooks } = await attacker.request<Schema<'WebhookList'>>('/webhooks');
    return [
      must('a failed delivery of the person was listed before', before > 0),
      must('the erasure returned 200 or 404', [200, 404].includes(erased)),
      {
        what: 'failed deliveries of the person listed afterwards',
        found: (await failedOf(attacker)).length,
        allowed: 0,
      },
      {
        what: "active webhooks that name the person's session",
        found: webhooks.filter(({ session_id, status }) => session_id === session && status !== 'disabled').length,
        allowed: 0,
      },
    ];
  },
};

async function failedOf({ webhooks }: Caller): Promise<Array<Schema<'FailedDelivery'>>> {
  return (await webhooks.allFailed()).filter(({ payload }) => payload.session_id === session);
}

async function statusOfSession({ service, attacker: { key } }: Stage): Promise<number> {
  const headers = { 'X-Service-Key': key };
  return (await fetch(`${service().url}/v1/state?session_id=${session}`, { headers })).status;
}

async function erase({ service, attacker: { key } }: Stage): Promise<number> {
  const options = { method: 'DELETE', headers: { 'X-Service-Key': key } };
  return (await fetch(`${service().url}/v1/subjects/${subject}`, options)).status;
}

/**
 * Starts a receiver that responds with 410 on one path. A delivery to this path fails at its first attempt, which
 * disables the webhook.
 */
async function startReceiver(defer: Stage['defer']): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(request.url === gonePath ? 410 : 204).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  defer(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const endsAt = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > endsAt) throw new Error(`timeout after ${limitMs / 1000} s: ${what}`);
    await sleep(lookMs);
  }
}
