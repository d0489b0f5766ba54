import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { toAccountKey } from '../../../src/store/readings.js';
import { insertMany, openKnex } from '../../bench/support/databases.js';
import type { Attack } from './scenario.js';
import type { Stage } from './stage.js';

export const [many, few] = [200_000, 300];
const dayMs = 86_400_000;
/** Ages of the expired readings, ms. */
const ages = { large: 80 * dayMs, small: 60 * dayMs };
const lookMs = 20;
/** Maximum number of readings of the large account that are deleted before those of the small one. */
const deletedMax = many / 2;

/** The readings of one account have expired for longer than those of another one. */
export async function preparePurge(stage: Stage): Promise<Attack> {
  const { databaseUrl, defer, attacker, accomplice, clock, restart } = stage;
  const knex = openKnex(databaseUrl);
  defer(() => knex.destroy());
  for (const { request } of [attacker, accomplice]) {
    const timestamp = new Date(clock.now()).toISOString();
    await request('/v1/ingest', { session_id: 'expiring', timestamp, heart_rate: 70 });
  }
  const expiring = knex('sessions').where({ session_id: 'expiring' });
  const ids: string[] = await expiring.orderBy('account_id').pluck('account_id');
  const [large = '', small = ''] = ids.map(toAccountKey);
  let remaining = Promise.resolve(0);
  const between = async () => {
    await addExpired(knex, large, many, clock.now() - ages.large);
    await addExpired(knex, small, few, clock.now() - ages.small);
    await knex('stream_positions').whereIn('account_id', ids).update({ purged_to_ms: 0 });
    remaining = watch(knex, large, small);
  };
  await restart({ between });
  return async () => {
    const found = many - (await remaining);
    return [{ what: `readings deleted before the last of ${few}`, found, allowed: deletedMax }];
  };
}

/** Adds copies of the reading of an account. */
async function addExpired(knex: Knex, account: string, count: number, atMs: number): Promise<void> {
  const first = await knex('session_readings').where({ account }).first();
  await insertMany(knex, 'session_readings', count, (index) => {
    const digest = index.toString(16).padStart(12, '0');
    return { ...first, position: (atMs + index) * 1_000 + 501, timestamp_ms: atMs + index, digest };
  });
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
