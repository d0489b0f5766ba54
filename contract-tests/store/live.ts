import { setTimeout as sleep } from 'node:timers/promises';
import { type Operation, type Parameter, resolve } from '../../packages/docs/contract.js';
import { seedAll } from '../../src/alerts/seed.js';
import { takeTurns } from '../../src/alerts/start.js';
import { changeSetting } from '../../src/keys/settings.js';
import { deliveryCursors } from '../../src/operations/delivery-page.js';
import { finishErasures } from '../../src/retention/erase.js';
import { purgeExpired } from '../../src/retention/purge.js';
import { createRemoveLeftovers } from '../../src/retention/remove-leftovers.js';
import { createAlertLease, findAccountsWithRules } from '../../src/store/alerts.js';
import { createDeliveryTable } from '../../src/store/deliveries.js';
import { claimDue, findDueQueues, isDue } from '../../src/store/delivery-queue.js';
import { findNewestReadingTime } from '../../src/store/expired-readings.js';
import { createKeyTable } from '../../src/store/keys.js';
import { createPositionReader } from '../../src/store/readings-by-position.js';
import { findStreamHeads } from '../../src/store/stream-positions.js';
import { expandEvents } from '../../src/webhooks/expand.js';
import { settleGroup } from '../../src/webhooks/settle.js';
import { learn, newOwn, plan } from '../../testkit/contract-plan.js';
import { buildRequest, type DocumentedRequest, operations } from '../../testkit/documented-requests.js';
import { openPage } from '../../testkit/person-link.js';
import { erasing } from '../../testkit/stored.js';
import { bearer, issueToken } from '../../testkit/tokens.js';
import { daySeconds, type Filled, turn } from './recorded.js';

const hourMs = 3_600_000;
/** Longer than the service caches a key, and collects accesses and calls in memory, ms. */
const collectedMs = 1_200;

/** Does everything that uses the database: sends each documented request, and runs the work of processes. */
export async function live(filled: Filled): Promise<void> {
  await sendReadings(filled);
  await sendReports(filled);
  await sendEveryBody(filled);
  await workOnDeliveries(filled);
  await sendEveryQuery(filled);
  await workOnAlerts(filled);
  await sendPlan(filled);
  await workOnOther(filled);
}

const send = ({ request }: Filled, { path, init }: Pick<DocumentedRequest, 'path' | 'init'>) => request(path, init);

/** Registers a receiver, and sends readings: late, again, of another person, with a token, and on the page of a person. */
async function sendReadings(filled: Filled): Promise<void> {
  const { clock, post, request } = filled;
  await post('/webhooks/register', { url: 'https://8.8.8.8/', events: ['state_change'] });
  const reading = (session: number, seconds: number) => ({
    ...{ session_id: `ours-${session}`, subject_id: `us-${session % 3}`, heart_rate: 90, ...turn },
    timestamp: clock.at(seconds),
  });
  for (const seconds of [0, 10, 5, 5, 10])
    await Promise.all(Array.from({ length: 6 }, (_, session) => post('/v1/ingest', reading(session, seconds))));
  for (const subject_id of ['us-1', 'unknown-to-us']) await post('/v1/ingest', { ...reading(9, 0), subject_id });
  const headers = { ...bearer(await issueToken(filled, { session_id: 'ours-8' })), 'Content-Type': 'application/json' };
  await request('/v1/ingest', { method: 'POST', headers, body: JSON.stringify(reading(8, 20)) });
  await (await openPage(filled, {}, 'us-0')).read('v1/state');
}

/** Sends reports about a moment and an interval, of a session that is bound later too. */
async function sendReports({ clock, post }: Filled): Promise<void> {
  const nobody = { session_id: 'ours-nobody', timestamp: clock.at(), heart_rate: 80 };
  await post('/v1/ingest', nobody);
  for (const named of [{ session_id: 'ours-0' }, { subject_id: 'us-0' }, { session_id: 'ours-nobody' }])
    for (const duration of [{}, { duration_seconds: 600 }])
      await post('/v1/feedback', { timestamp: clock.at(10), stress: 6, ...named, ...duration });
  await post('/v1/ingest', { ...nobody, timestamp: clock.at(1), subject_id: 'us-1' });
}

/** Sends every documented body with a key of idempotency, twice, and a registration that is refused. */
async function sendEveryBody(filled: Filled): Promise<void> {
  const { clock, post } = filled;
  const names = { session_id: 'ours-0', subject_id: 'us-0', subject_ids: ['us-1', 'us-2'], webhook_id: 'wh_2' };
  const times = { timestamp: clock.at(), event_time: clock.at(), since: clock.at(-daySeconds) };
  const values = { ...names, ...times, url: 'https://8.8.8.8/', delivery_ids: [await findFailed(filled)] };
  const isSent = (it: Parameter) => it.in !== 'query';
  for (const operation of operations)
    for (const [index, { value }] of (operation.request?.examples ?? []).entries()) {
      const [known, example] = [Object.entries(values), value as object];
      const body = Array.isArray(value)
        ? value
        : { ...example, ...Object.fromEntries(known.filter(([it]) => it in example)) };
      const sent = buildRequest(operation, { isSent, values: { ...values, 'Idempotency-Key': `k${index}` }, body });
      for (let times = 0; times < 2; times += 1) await send(filled, sent);
    }
  const refused = { url: 'https://10.0.0.1/', events: ['state_change'] };
  await send(
    filled,
    buildRequest('registerWebhook', { isSent, values: { 'Idempotency-Key': 'refused' }, body: refused }),
  );
  await post('/webhooks/retries', { webhook_id: 'wh_3', ordered: true });
  const durations = {
    stressed: { minutes: 1 },
    above_usual: { minutes: 1 },
    no_data: { hours: 1 },
    trigger_active: {},
  };
  for (const [condition, duration] of Object.entries(durations))
    for (const people of [{}, { subject_ids: ['us-1', 'us-2'] }])
      await post('/v1/alerts', { condition, ...people, ...duration });
}

async function findFailed({ request }: Filled): Promise<string> {
  return (await request('/webhooks/retries')).body.deliveries[0].id;
}

/** Sends every operation that reads, with every combination of the parameters of its query, and reads a second page. */
async function sendEveryQuery(filled: Filled): Promise<void> {
  const { clock } = filled;
  const at = { atMs: clock.nowMs, deliveryId: `dlv_${'0'.repeat(20)}` };
  const values: Readonly<Record<string, readonly string[]>> = {
    ...{
      session_id: ['crowd-4'],
      subject_id: ['crowd-1'],
      webhook_id: ['wh_1'],
      delivery_id: [await findFailed(filled)],
    },
    ...{ since: [clock.at(-daySeconds)], from: [clock.at(-daySeconds)], to: [clock.at()], until: [clock.at(5)] },
    last_event_id: ['0'],
    cursor: [
      deliveryCursors.settledAtMs.write(at),
      deliveryCursors.eventAtMs.write(at),
      Buffer.from(`${clock.nowMs}.${'f'.repeat(16)}.9`).toString('base64url'),
    ],
  };
  const first = Object.fromEntries(Object.entries(values).map(([name, [text]]) => [name, text]));
  for (const operation of operations.filter(({ method }) => method === 'GET')) {
    const ask = (chosen: Readonly<Record<string, string>>) => {
      const isSent = ({ name, required }: Parameter) => required === true || name in chosen;
      return send(filled, buildRequest(operation, { isSent, values: { ...first, ...chosen } }));
    };
    for (const chosen of combine(operation, values)) {
      const { next_cursor: cursor } = (await ask(chosen)).body ?? {};
      if (cursor) await ask({ ...chosen, cursor });
    }
  }
  await streamAll(filled);
}

/** Returns each combination of the optional parameters of a query: without each of them, and with each of its values. */
function combine({ parameters }: Operation, values: Readonly<Record<string, readonly string[]>>) {
  // A token is a credential.
  const optional = parameters.filter(
    ({ in: place, name, required }) => place === 'query' && !required && name !== 'access_token',
  );
  return optional.reduce<Array<Readonly<Record<string, string>>>>(
    (all, { name, schema, example }) => {
      const texts = values[name] ?? resolve(schema).enum ?? [String(example)];
      return all.flatMap((it) => [it, ...texts.map((text) => ({ ...it, [name]: text }))]);
    },
    [{}],
  );
}

/** Reads what streams read when another process has stored readings, near the start and near the end. */
async function streamAll({ own, accountId }: Filled): Promise<void> {
  const [head] = await own.run((knex) => findStreamHeads(knex, [accountId]));
  for (const after of [0, (head?.position ?? 0) - 20])
    await createPositionReader(own.read(accountId)).changedAfter(after);
}

/** Sends the requests of the contract check, which erase what they create. */
async function sendPlan(filled: Filled): Promise<void> {
  const owned = newOwn(filled.clock.now);
  for (const asked of plan()) {
    const { path, init, key = filled.key } = asked.request(owned);
    const headers = {
      'X-Service-Key': key ?? '',
      ...(init.body && { 'Content-Type': 'application/json' }),
      ...init.headers,
    };
    const answer = await filled.request(path, { ...init, headers });
    if (answer.status < 300) learn(owned, asked, answer.body);
  }
}

/** Sends the due deliveries in the same way as a worker, with every kind of outcome. */
async function workOnDeliveries({ own, accountId, clock }: Filled): Promise<void> {
  const failOldest = ['wh_5', 10, 'queue_full', clock.nowMs] as const;
  await own.transact((scopeOf) => createDeliveryTable(scopeOf(accountId)).failOldest(...failOldest));
  await expandEvents(own, clock.now);
  clock.advance(10);
  for (const status of [204, 500, 410]) {
    const range = { nowMs: clock.nowMs, leasedUntilMs: clock.nowMs + 30_000 };
    const queues = (await own.run((knex) => findDueQueues(knex))).filter((queue) => isDue(queue, range));
    const shares = queues.map((queue) => ({ queue, count: 4 }));
    const claimed = await own.run((knex) => claimDue(knex, { owner: `${status}`, ...range, shares }));
    const attempt = { timestamp: clock.at(), status, duration_ms: 1 };
    const handled = claimed.map((delivery) => ({ delivery, attempt }));
    await settleGroup(own, handled, clock.nowMs);
  }
  await own.transact((scopeOf) => createDeliveryTable(scopeOf(accountId)).hastenRetries('wh_1', clock.nowMs));
}

/** Evaluates the alert rules twice: with the rules for everyone, and after their removal. */
async function workOnAlerts(filled: Filled): Promise<void> {
  const { own, clock, post, request } = filled;
  // The receiver that a 410 has not disabled.
  await post('/webhooks/register', { url: 'https://8.8.8.8/alerts', events: ['alert'] });
  const { digestId } = erasing(filled);
  const fail = (error: unknown): never => {
    throw error;
  };
  const evaluate = async () => {
    clock.advance(5);
    const parts = { store: own, digestId, now: clock.now, findAbsences: async () => [], onFailure: fail };
    const turns = { isStopped: () => false, pause: async () => {}, onFired: () => {} };
    while (await takeTurns(parts, turns));
  };
  await createRemoveLeftovers(own, digestId, clock.now)();
  await own.run((knex) => createAlertLease(knex).find());
  await own.run((knex) => createAlertLease(knex).renew(clock.nowMs - (clock.nowMs % 60_000)));
  await evaluate();
  await seedAll(own, await own.run(findAccountsWithRules), clock.nowMs);
  const { alerts } = (await request('/v1/alerts')).body;
  for (const { id, subject_ids } of alerts)
    if (subject_ids === undefined) await request(`/v1/alerts/${id}`, { method: 'DELETE' });
  await evaluate();
}

/** Erases a person, purges what has expired, and does what commands and the readiness check do. */
async function workOnOther({ own, store, accountId, clock, request }: Filled): Promise<void> {
  // Long enough that the use of the key is recorded again.
  clock.advance(4_000);
  await sleep(collectedMs);
  await request('/v1/subjects/us-0', { method: 'DELETE' });
  await own.use(createKeyTable).accountByName('none');
  await own.use(createKeyTable).auditEntries(10);
  await own.use(createKeyTable).auditEntries(10, accountId);
  await own.isReady();
  await own.tryWrite();
  await own.run((knex) => findNewestReadingTime(knex));
  const name = 'account-0';
  await changeSetting(store.use(createKeyTable), { account: name, name: 'keep-readings', word: '48' }, clock.nowMs);
  await purgeExpired(own, clock.nowMs + 2 * hourMs);
  await finishErasures(own);
}
