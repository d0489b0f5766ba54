import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { webhookDelivery } from '../../../generated/spec.js';
import { createDeliveryTable } from '../../../src/store/deliveries.js';
import { createKeyTable } from '../../../src/store/keys.js';
import { chunksOf } from '../../../src/store/rows.js';
import { createDelivery } from '../../../src/webhooks/queues.js';
import { atLeast, type Row, sumOf } from '../../../testkit/verdict.js';
import { withStore } from '../../bench/support/databases.js';
import { type Receivers, startReceivers } from '../../bench/support/receivers.js';
import type { Attack, Scenario } from './scenario.js';
import type { Caller, Stage } from './stage.js';

const hanging = { subnet: '127.0.1', answerAfterMs: Infinity };
const sessionsPerAccount = 6;
const [attackMs, shortMs] = [25_000, 15_000];
/**
 * An attempt that is open for longer is overdue, ms: the time limit of an attempt, with a margin for a busy machine.
 */
const overdueMs = (webhookDelivery.attempt_timeout_seconds + 6) * 1000;

/** Changes the state of new sessions. Each change has a delivery per webhook of the account. */
async function changeStates({ swing }: Caller, name: string, sessions: number, changes = 1): Promise<Row> {
  let found = 0;
  for (let session = 0; session < sessions; session += 1) {
    let { state } = await swing(`${name}-${session}`);
    for (let change = 0; change < changes; change += 1) {
      const before = state;
      ({ state } = await swing(`${name}-${session}`));
      if (state !== before) found += 1;
    }
  }
  return { what: `state changes of ${name}, each for every webhook`, found, allowed: atLeast(sessions * changes) };
}

/** Two accounts send 24 requests, which cause 780 attempts. This is more than the number of slots of a worker. */
export async function deliverToHangingHosts({ attacker, accomplice, defer }: Stage): Promise<Row[]> {
  const receivers = await startReceivers({ ...hanging, hosts: 13, portsPerHost: 10 });
  defer(receivers.close);
  const accounts = [attacker, accomplice];
  const half = receivers.urls.length / accounts.length;
  for (const [index, { webhooks }] of accounts.entries())
    for (const url of receivers.urls.slice(index * half, (index + 1) * half)) await webhooks.register(url);
  const rows: Row[] = [];
  for (const account of accounts) rows.push(await changeStates(account, 'hang', sessionsPerAccount));
  await sleep(attackMs);
  const found = sumOf(Object.fromEntries(receivers.attempts));
  return [
    ...rows,
    { what: 'attempts that reached a hanging host', found, allowed: atLeast(1) },
    {
      what: `attempts open for more than ${overdueMs / 1000} s`,
      found: receivers.openLongerThan(overdueMs),
      allowed: 0,
    },
  ];
}

const sharedWebhooks = 20;
const sharedSessions = 10;

export async function hangOnSharedHost({ attacker, neighbor }: Stage): Promise<Row[]> {
  for (let index = 0; index < sharedWebhooks; index += 1)
    await attacker.webhooks.register(`${neighbor.hangingUrl}/${index}`);
  const row = await changeStates(attacker, 'shared', sharedSessions);
  await sleep(shortMs);
  return [row];
}

const webhookCount = 60;
const changes = 5;
const neighborName = 'neighbor.example';

/** Starts a nameserver that responds only to lookups of the neighbor's name. */
export const startNameserver: NonNullable<Scenario['setUp']> = async (defer) => {
  const nameserver = createSocket('udp4');
  nameserver.on('message', (query, { port, address }) => {
    if (query.includes('neighbor')) nameserver.send(addressResponse(query), port, address);
  });
  nameserver.bind(0, '127.0.0.1');
  await once(nameserver, 'listening');
  defer(() => nameserver.close());
  const env = { WEBHOOK_DNS_SERVERS: `127.0.0.1:${nameserver.address().port}`, WEBHOOK_ALLOW_HTTP: '1' };
  return { env, neighborReceiverHost: neighborName };
};

/** Checks that unanswered lookups of the attacker do not delay the neighbor. */
export async function lookUpSilentNames({ attacker }: Stage): Promise<Row[]> {
  const names = Array.from({ length: webhookCount }, (_, index) => `https://hook-${index}.attack.example/hooks`);
  await Promise.all(names.map((name) => attacker.webhooks.register(name)));
  const row = await changeStates(attacker, 'unresolved', 1, changes);
  await sleep(shortMs);
  return [row];
}

const headerBytes = 12;
const questionCount = [0, 1];
/** DNS flags of a response: recursion desired and available, no error. */
const responseFlags = [0x81, 0x80];
/** DNS answer record: the name of the question, class IN, TTL 1 s, 127.0.0.1. */
const loopbackRecord = [0xc0, headerBytes, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 127, 0, 0, 1];

/** Returns a DNS response (RFC 1035, 4.1): 127.0.0.1 for type A, no record for other types. */
function addressResponse(query: Buffer): Buffer {
  const endOfName = query.indexOf(0, headerBytes);
  const question = query.subarray(headerBytes, endOfName + 5);
  const isTypeA = query.readUInt16BE(endOfName + 1) === 1;
  const counts = [...questionCount, 0, isTypeA ? 1 : 0, 0, 0, 0, 0];
  const header = Buffer.from([...query.subarray(0, 2), ...responseFlags, ...counts]);
  return Buffer.concat([header, question, Buffer.from(isTypeA ? loopbackRecord : [])]);
}

/** Rows per insert. Less than the 500 rows that SQLite accepts in one insert. */
const rowsPerInsert = 400;
const [manyRows, fewRows] = [100_000, 1_000];
/** Time for a restarted service to compile its hot functions before the neighbor is measured again, ms. */
const warmUpMs = 2_000;
const queueMs = 8_000;
/** Maximum ratio between the delivery rate of a short queue and that of a long queue. */
const drainRatioMax = 5;

/** Measures the delivery rate of a short queue, and fills a long queue of the same receiver. */
export async function prepareLongQueue(stage: Stage): Promise<Attack> {
  const receivers = await startReceivers({ hosts: 1 });
  stage.defer(receivers.close);
  const url = receivers.urls[0] ?? '';
  const startedAt = performance.now();
  await storeDueDeliveries(stage, fewRows, await stage.attacker.webhooks.register(url));
  await receivers.until(fewRows);
  const rateOfShort = (1000 * fewRows) / (performance.now() - startedAt);
  await fillQueue(stage, url);
  return () => compareRates(receivers, rateOfShort);
}

async function compareRates(receivers: Receivers, rateOfShort: number): Promise<Row[]> {
  const [before, startedAt] = [receivers.attempts.size, performance.now()];
  await sleep(queueMs);
  const rate = (1000 * (receivers.attempts.size - before)) / (performance.now() - startedAt);
  const found = Number((rateOfShort / rate).toFixed(1));
  return [
    { what: 'deliveries per second, short queue', found: Math.round(rateOfShort) },
    { what: 'deliveries per second, long queue', found: Math.round(rate) },
    { what: 'rate of the short queue (× long queue)', found, target: drainRatioMax },
    { what: 'attempts at one delivery at the same time', found: receivers.overlaps(), allowed: 0 },
  ];
}

export async function prepareHangingQueue(stage: Stage): Promise<Attack> {
  const receivers = await startReceivers({ ...hanging, hosts: 1 });
  stage.defer(receivers.close);
  await fillQueue(stage, receivers.urls[0] ?? '');
  return () => sleep(queueMs, []);
}

/**
 * Fills the queue of one receiver. Runs while the service is stopped, so that the service sends no delivery before the
 * queue is full.
 */
async function fillQueue(stage: Stage, url: string): Promise<void> {
  const webhook = await stage.attacker.webhooks.register(url);
  await stage.restart({ between: () => storeDueDeliveries(stage, manyRows, webhook) });
  await stage.neighbor.measure(warmUpMs);
}

/** Inserts due deliveries of the attacker. Inserts in bulk, because only the claims are measured. */
function storeDueDeliveries(
  { databaseUrl, clock }: Stage,
  count: number,
  { id: webhookId, url }: { readonly id: string; readonly url: string },
): Promise<void> {
  return withStore(databaseUrl, async (store) => {
    const [{ accountId } = { accountId: '' }] = await store.use(createKeyTable).list('attacker');
    const timestamp = new Date(clock.now()).toISOString();
    const change = {
      event: 'state_change',
      previous_state: 'calm',
      new_state: 'stressed',
      stress_score: 64,
      timestamp,
    };
    const due = { sessionId: 'due', payload: JSON.stringify({ ...change, session_id: 'due' }) };
    for (const chunk of chunksOf(Array.from({ length: count }), rowsPerInsert)) {
      const batch = chunk.map(() => createDelivery({ accountId, webhookId, url }, { ...due, dueAtMs: clock.now() }));
      await store.transact((scopeOf) => createDeliveryTable(scopeOf(accountId)).insert(batch));
    }
  });
}
