import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { draw, type Scene, scenes, seededRandom } from '../../../packages/tools/terminal/scenes.js';
import { toAccountKey } from '../../../src/store/readings.js';
import { createKeyOf } from '../../../testkit/program.js';
import type { Row } from '../../../testkit/verdict.js';
import { insertMany, type StoredRow, withKnex } from '../../bench/support/databases.js';
import { createRequest } from '../shared/client.js';
import type { Attack } from './scenario.js';
import type { Stage } from './stage.js';

export const people = 20_000;
const smallAccounts = 3;
/** Interval of the readings of the small accounts, and their number, ms. */
const [paceMs, readings] = [10_000, 13];
/** Maximum time from the reading that makes a rule due to its firing, seconds. */
const lagMaxSeconds = 60;
/** Maximum wait for the evaluation of the large account, ms. */
const waitMs = 240_000;

/** One account creates rules for 20,000 people with a live reading. Three other accounts have one person each. */
export async function prepareAlerts(stage: Stage): Promise<Attack> {
  await withKnex(stage.databaseUrl, (knex) => storePeople(stage, knex));
  return () => withKnex(stage.databaseUrl, (knex) => measure(stage, knex));
}

/** Stores copies of a person, with the session and a reading. */
async function storePeople({ attacker }: Stage, knex: Knex): Promise<void> {
  await attacker.swing('of-0', 'person-0');
  const { account_id } = await knex('subjects').where({ subject_id: 'person-0' }).first('account_id');
  for (const [table, idOf] of Object.entries(copies)) {
    const key = table === 'session_readings' ? { account: toAccountKey(account_id) } : { account_id };
    const first = await knex(table).where(key).first();
    await insertMany(knex, table, people - 1, (index) => ({ ...first, ...idOf(index + 1, first) }));
  }
}

const incarnation = (index: number) => index.toString(16).padStart(12, '0');
const copies: Readonly<Record<string, (index: number, row: { readonly position: number }) => StoredRow>> = {
  subjects: (index) => ({ subject_id: `person-${index}` }),
  sessions: (index) => ({ session_id: `of-${index}`, subject_id: `person-${index}`, incarnation: incarnation(index) }),
  session_readings: (index, { position }) => ({ incarnation: incarnation(index), position: position + 2 * index }),
};

async function measure(stage: Stage, knex: Knex): Promise<Row[]> {
  const watch = async (key: string) => {
    const request = createRequest(stage.service().url, key);
    await request('/webhooks/register', { url: 'https://8.8.8.8/', events: ['alert'] });
    await request('/v1/alerts', { condition: 'stressed', minutes: 1 });
    return request;
  };
  await watch(stage.attacker.key);
  const startedAt = performance.now();
  const hostile = scenes.at(-1) as Scene;
  const names = Array.from({ length: smallAccounts }, (_, index) => `small-${index}`);
  const dueMs = await Promise.all(
    names.map(async (name, index) => {
      const random = seededRandom(index);
      const request = await watch(await createKeyOf(stage.databaseUrl, name));
      const sentMs: number[] = [];
      for (let count = 0; count < readings; count += 1, await sleep(paceMs)) {
        const timestamp = new Date(stage.clock.now()).toISOString();
        sentMs.push(Date.parse(timestamp));
        await request('/v1/ingest', { session_id: name, subject_id: name, timestamp, ...draw(hostile, random) });
      }
      return sentMs.find((it) => it - (sentMs[0] ?? 0) >= 60_000) ?? Infinity;
    }),
  );
  const firings = await knex('alert_firings').whereIn('subject_id', names).orderBy('subject_id');
  const lags = firings.map(({ fired_at_ms }, index) => (fired_at_ms - (dueMs[index] ?? 0)) / 1000);
  const waiting = () => knex('subjects').where('alert_due_ms', '<=', stage.clock.now()).first('subject_id');
  while ((await waiting()) && performance.now() - startedAt < waitMs) await sleep(1_000);
  const { planned } = (await knex('subjects').where('body', 'like', '%"alert":%').count({ planned: '*' }))[0] as never;
  return [
    { what: 'small accounts whose rule did not fire', found: smallAccounts - firings.length, allowed: 0 },
    { what: 'longest time from due to fired, s', found: Math.max(0, ...lags), allowed: lagMaxSeconds },
    { what: 'people who were not evaluated', found: people + smallAccounts - Number(planned), allowed: 0 },
    { what: 'time until everyone was, s', found: Math.round((performance.now() - startedAt) / 1000) },
  ];
}
