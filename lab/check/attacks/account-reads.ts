import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { batch } from '../../../generated/spec.js';
import { quantile } from '../../../packages/tools/terminal/quantile.js';
import { toAccountKey } from '../../../src/store/readings.js';
import type { Row } from '../../../testkit/verdict.js';
import { insertMany, withKnex } from '../../bench/support/databases.js';
import { ask, headersOf } from '../shared/client.js';
import { timeDuring } from '../shared/timing.js';
import type { Attack } from './scenario.js';
import type { Stage } from './stage.js';

export const connections = 20;
const readings = 12_000;
/** The window of a history, ms. The readings fill most of it. */
const windowMs = 3_400_000;
const reports = 2_000;
const sessions = 4;
/** Wait after a refused request, ms. Fewer exports and batches are permitted at once than there are connections. */
const refusedMs = 50;
/** Number of different batches. */
const batches = 16;
/** Duration of the measurement of each load, and the wait before it, ms. */
const [measureMs, settleMs] = [2_000, 300];
/** Interval between two reads of the other account, ms. */
const paceMs = 20;
/** Maximum ratio between the p50 of the other account during a load and during the same number of state reads. */
const ratioMax = 3;

/** What one account requests. `live` and `past` are people with 12,000 readings in the window. */
const loads: Readonly<Record<string, string>> = {
  'histories of a person': '/v1/history?subject_id=live&minutes=60',
  'histories of a session': '/v1/history?session_id=live-0&minutes=60',
  'histories of backfilled readings': '/v1/history?subject_id=past&minutes=60',
  'summaries of a person': '/v1/subjects/live/summary',
  'summaries of backfilled readings': '/v1/subjects/past/summary',
  'exports of the account': '/v1/export',
  'exports of a person': '/v1/export?subject_id=live',
  'lists of sessions': '/v1/sessions?points=20',
  'lists of sessions by score': '/v1/sessions?sort=score',
  'lists of reports': '/v1/feedback',
  'agreements of the account': '/v1/agreement',
  'lists of accesses': '/v1/subjects/live/accesses',
  'lists of deliveries': '/webhooks/deliveries',
  batches: '/v1/ingest/batch',
};

/** One account sends reads and batches as fast as it can, and another account reads a state. */
export async function prepareReads(stage: Stage): Promise<Attack> {
  await fill(stage);
  return compareReads;
}

async function compareReads(stage: Stage): Promise<Row[]> {
  const states = await measure(stage, '/v1/state?session_id=live-0');
  const rows: Row[] = [
    { what: 'p50 of a state of another account during reads of states, ms', found: round(states.p50) },
  ];
  for (const [name, path] of Object.entries(loads)) {
    const { p50, served } = await measure(stage, path);
    rows.push({
      what: `the same during ${name} (× reads of states)`,
      found: round(p50 / states.p50),
      ...(isTransfer(path) ? { target: ratioMax } : { allowed: ratioMax }),
    });
    rows.push({ what: `  responses that the account got`, found: served });
  }
  return rows;
}

/** Stores the readings of two people and reports. Live readings are copies of one, with times of the last hour. */
async function fill({ attacker, accomplice, clock, databaseUrl }: Stage): Promise<void> {
  const session = (name: string, index: number) => ({ session_id: `${name}-${index % sessions}`, subject_id: name });
  const reading = (atMs = clock.now()) => ({ timestamp: new Date(atMs).toISOString(), heart_rate: 72, tone: 'calm' });
  await accomplice.request('/v1/ingest', { session_id: 'other', ...reading() });
  for (let index = 0; index < 120; index += 1)
    await attacker.request('/v1/ingest', {
      ...session(index < sessions ? 'live' : `more-${index}`, index),
      ...reading(),
    });
  const atMs = (index: number) => Math.floor(clock.now() - windowMs + (index * windowMs) / readings);
  for (let from = 0; from < readings; from += batch.lines_max) {
    const lines = Array.from({ length: batch.lines_max }, (_, line) => {
      return { ...session('past', line), ...reading(atMs(from + line)), backfill: true };
    });
    await attacker.request('/v1/ingest/batch', lines);
  }
  const digest = (index: number) => index.toString(16).padStart(12, '0');
  await withKnex(databaseUrl, async (knex) => {
    const { account_id } = await knex('sessions').where({ session_id: 'live-0' }).first('account_id');
    const account = toAccountKey(account_id);
    const stored = await knex('sessions').where({ account_id, subject_id: 'live' }).pluck('incarnation');
    const firsts = await knex('session_readings').where({ account }).whereIn('incarnation', stored);
    await insertMany(knex, 'session_readings', readings, (index) => {
      const position = atMs(index) * 1_000 + 501 + 2 * (index % sessions);
      return { ...firsts[index % firsts.length], position, timestamp_ms: atMs(index), digest: digest(index) };
    });
    const { model_version } = firsts[0];
    const report = { account_id, subject_id: 'live', stress_score: 50, model_version, readings: 1 };
    await insertMany(knex, 'feedback', reports, (index) => {
      const [feedback_id, timestamp_ms] = [`fb_00000000${digest(index)}`, clock.now() - index * 60_000];
      return { ...report, feedback_id, stress: index % 10, timestamp_ms, recorded_at_ms: timestamp_ms };
    });
  });
}

/** Returns the p50 of the state of another account while one account requests a path, and the responses it got, ms. */
async function measure({ service, attacker, accomplice, clock }: Stage, path: string) {
  const agent = new Agent({ keepAlive: true });
  const send = (target: string, key: string, body?: string) =>
    ask(service().url + target, headersOf(key), { agent, body });
  let [served, isOver] = [0, false];
  // Prepared, because the measurement would wait for the serialization.
  const bodies = path.endsWith('/batch')
    ? Array.from({ length: batches }, (_, index) => writeBatch(clock.now() - index))
    : [];
  const repeat = async () => {
    for (let round = 0; !isOver; round += 1)
      if ((await send(path, attacker.key, bodies[round % batches])) === 200) served += 1;
      else await sleep(refusedMs);
  };
  const senders = Array.from({ length: connections }, repeat);
  await sleep(settleMs);
  const readState = async () => (await send('/v1/state?session_id=other', accomplice.key)) === 200;
  const latencies = await timeDuring(sleep(measureMs), paceMs, readState);
  isOver = true;
  agent.destroy();
  await Promise.all(senders);
  return { p50: quantile(latencies, 0.5), served };
}

/** Returns a batch of the most lines that are allowed. */
function writeBatch(atMs: number): string {
  const timestamp = new Date(atMs).toISOString();
  const toLine = (_: unknown, line: number) => ({
    session_id: `batch-${line % 50}`,
    timestamp,
    heart_rate: 60 + (line % 60),
  });
  return JSON.stringify(Array.from({ length: batch.lines_max }, toLine));
}

/** True for megabytes that the HTTP thread receives or sends. Their ratio is a target. */
function isTransfer(path: string): boolean {
  return /export|batch/.test(path);
}

function round(value: number): number {
  return Number(value.toFixed(1));
}
