import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { readConfig } from '../../../src/config/config.js';
import { openDatabase } from '../../../src/store/database.js';
import { toAccountKey } from '../../../src/store/readings.js';
import { insertRows } from '../../../src/store/rows.js';
import type { Scenario } from './scenario.js';
import type { Stage } from './stage.js';

const many = 200_000;
const few = 300;
const rowsPerInsert = 500;
const dayMs = 86_400_000;
/** Ages of the expired readings, ms. */
const ages = { large: 80 * dayMs, small: 60 * dayMs };
const lookMs = 20;
/** Maximum number of readings of the large account that are deleted before those of the small one. */
const deletedMax = many / 2;

const remaining = new WeakMap<Stage, Promise<number>>();

/** The readings of one account have expired for longer than those of another one. */
export const largePurge: Scenario = {
  item: 58,
  title: `purge of ${many.toLocaleString('en-US')} readings of an account beside ${few} of another account`,
  neighborRatioMax: 2,
  // The hours of a person would keep the readings until they are stored.
  setUp: () => ({ env: { RETENTION_SUMMARY_DAYS: '0' } }),
  async prepare(stage) {
    const knex = openDatabase(readConfig({ DATABASE_URL: stage.databaseUrl }).database);
    stage.defer(() => knex.destroy());
    for (const { request } of [stage.attacker, stage.accomplice]) {
      const timestamp = new Date(stage.clock.now()).toISOString();
      await request('/v1/ingest', { session_id: 'expiring', timestamp, heart_rate: 70 });
    }
    const ids: string[] = await knex('sessions')
      .where({ session_id: 'expiring' })
      .orderBy('account_id')
      .pluck('account_id');
    const [large = '', small = ''] = ids.map(toAccountKey);
    const between = async () => {
      await addExpired(knex, large, many, stage.clock.now() - ages.large);
      await addExpired(knex, small, few, stage.clock.now() - ages.small);
      await knex('stream_positions').whereIn('account_id', ids).update({ purged_to_ms: 0 });
      remaining.set(stage, watch(knex, large, small));
    };
    await stage.restart({ between });
  },
  async attack(stage) {
    const deleted = many - ((await remaining.get(stage)) ?? 0);
    return [{ what: `readings deleted before the last of ${few}`, found: deleted, allowed: deletedMax }];
  },
};

/** Adds copies of the reading of an account. */
async function addExpired(knex: Knex, account: string, count: number, atMs: number): Promise<void> {
  const first = await knex('session_readings').where({ account }).first();
  for (let from = 0; from < count; from += rowsPerInsert) {
    const rows = Array.from({ length: Math.min(rowsPerInsert, count - from) }, (_, index) => {
      const timestamp_ms = atMs + from + index;
      const digest = (from + index).toString(16).padStart(12, '0');
      return { ...first, position: timestamp_ms * 1_000 + 501, timestamp_ms, digest };
    });
    await insertRows(knex, 'session_readings', rows);
  }
}

/** Resolves with the number of expired readings of the large account when the small one has none. */
async function watch(knex: Knex, large: string, small: string): Promise<number> {
  const count = async (account: string): Promise<number> => {
    const expired = knex('session_readings')
      .where({ account })
      .where('position', '<', (Date.now() - dayMs) * 1_000);
    const [row] = await expired.where('position', '>', 0).count({ count: '*' });
    return Number(row?.['count']);
  };
  while ((await count(small)) > 0) await sleep(lookMs);
  return count(large);
}
