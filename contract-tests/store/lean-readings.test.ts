import { readConfig } from '../../src/config/config.js';
import { purgeExpired } from '../../src/retention/purge.js';
import { startTestService } from '../../testkit/service.js';
import { openKnex } from '../../testkit/temporary-database.js';
import { expect, test } from '../../testkit/test.js';

const day = 24 * 60 * 60;
test('a reading that arrives late is found by a resend and deleted 24 hours after its timestamp', async () => {
  const service = await startTestService({});
  const { read, store, clock } = service;
  const { retention } = readConfig({ RETENTION_SUMMARY_DAYS: '0' });
  const [prompt, late] = [0, -250].map((seconds) => ({ timestamp: clock.at(seconds), heart_rate: 70 }));
  const first = await read(prompt ?? {});
  const response = await read(late ?? {});
  clock.advance(40);
  expect(await read(late ?? {})).toEqual(response);
  expect(await read(prompt ?? {})).toEqual(first);
  clock.advance(day - 40 - 250);
  expect(await purgeExpired(store, clock.nowMs, retention)).toBe(0);
  clock.advance(0.001);
  expect(await purgeExpired(store, clock.nowMs, retention)).toBe(1);
  clock.advance(250);
  expect(await purgeExpired(store, clock.nowMs, retention)).toBe(1);
});

test('two sessions of an account never share an incarnation', async ({ ownService: { read, database } }) => {
  await read({ session_id: 'a', heart_rate: 70 });
  const knex = openKnex(database.url);
  const row = await knex('sessions').first();
  await expect(knex('sessions').insert({ ...row, session_id: 'b' })).rejects.toThrow(/unique|duplicate/i);
});
