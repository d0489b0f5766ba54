import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config/config.js';
import { openDatabaseClock } from '../../src/store/database-clock.js';
import { openStore } from '../../src/store/store.js';
import { createTestDatabase } from '../support/databases.js';

const dayMs = 24 * 60 * 60 * 1000;

/** Opens the clock of a real server, in a process whose clock is ahead by `aheadMs`. */
async function openClock(aheadMs: number) {
  const database = await createTestDatabase('mysql');
  onTestFinished(database.drop);
  const store = openStore(readConfig({ DATABASE_URL: database.url }).database);
  onTestFinished(store.close);
  const process = { aheadMs };
  const reports: boolean[] = [];
  const clock = await openDatabaseClock({
    read: store.readClock,
    now: () => Date.now() + process.aheadMs,
    onDifference: (_, isTooLarge) => void reports.push(isTooLarge),
  });
  onTestFinished(clock.close);
  return { clock, process, reports };
}

test('the time of the database does not depend on the clock of the process, also when that clock jumps', async () => {
  const { clock, process, reports } = await openClock(2 * dayMs);
  const startedAtMs = Date.now();
  expect(Math.abs(clock.now() - startedAtMs)).toBeLessThan(5_000);
  expect(Math.round(clock.aheadMs() / dayMs)).toBe(2);
  process.aheadMs = -dayMs;
  expect(clock.now()).toBeGreaterThanOrEqual(startedAtMs - 5_000);
  await clock.measure();
  expect(Math.round(clock.aheadMs() / dayMs)).toBe(-1);
  expect(reports).toEqual([true]);
  process.aheadMs = 0;
  await clock.measure();
  expect(reports).toEqual([true, false]);
});
