import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { purgeExpired } from '../../src/retention/purge.js';
import { startTestService } from '../support/service.js';

const day = 24 * 60 * 60;

test('readings and idle sessions go after 24 hours, and not before', async () => {
  const { read, request, store, clock } = await startTestService({});
  await read({ session_id: 'old', heart_rate: 70 });
  clock.advance(day - 1);
  await purgeExpired(store, clock.nowMs);
  expect((await request('/v1/state?session_id=old')).status).toBe(200);
  await read({ session_id: 'young', heart_rate: 70 });
  clock.advance(2);
  expect(await purgeExpired(store, clock.nowMs)).toBe(2);
  expect((await request('/v1/state?session_id=old')).status).toBe(404);
  expect((await request('/v1/state?session_id=young')).status).toBe(200);
});

test('a session that goes on stays; only its old readings go', async () => {
  const { read, store, clock } = await startTestService({});
  await read({ heart_rate: 70 });
  clock.advance(day - 1);
  await read({ heart_rate: 71 });
  clock.advance(2);
  expect(await purgeExpired(store, clock.nowMs)).toBe(1);
  const again = await read({ heart_rate: 72 });
  expect(again.adaptation_effectiveness).toBeDefined();
});

test('six hundred expired readings are purged in small batches while ingest goes on', async () => {
  const { read, request, store, clock } = await startTestService({});
  const expired = Array.from({ length: 600 }, (_, index) => ({
    session_id: `old${index % 10}`,
    timestamp: clock.at(-index / 10),
    heart_rate: 70,
  }));
  await Promise.all(expired.map(read));
  clock.advance(day + 1);
  let isPurging = true;
  const purge = purgeExpired(store, clock.nowMs).finally(() => {
    isPurging = false;
  });
  let sent = 0;
  while (isPurging) {
    await read({ session_id: 'live', timestamp: clock.at(sent / 1000), heart_rate: 70 });
    sent++;
    await sleep(1);
  }
  expect(await purge).toBe(610);
  expect(sent).toBeGreaterThan(1);
  const { datapoints } = (await request('/v1/history?session_id=live')).body;
  expect(datapoints).toHaveLength(sent);
});
