import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config/config.js';
import { openServerClock, type OtherClock } from '../../src/store/database-clock.js';
import { claimDue, findDueQueues } from '../../src/store/delivery-queue.js';
import { openStore } from '../../src/store/store.js';
import { startReceiver } from '../../testkit/receiver.js';
import { startTestService } from '../../testkit/service.js';
import { temporaryDatabase } from '../../testkit/temporary-database.js';
import { until } from '../../testkit/until.js';
import { deliveriesOf, register, startWorkerOn, storeDue } from '../../testkit/webhooks.js';

const dayMs = 24 * 60 * 60 * 1000;

/** Opens the clock of a real server, in a process whose clock is ahead by `aheadMs`. */
async function openClock(aheadMs: number, hosts: readonly OtherClock[] = []) {
  const database = await temporaryDatabase('mysql');
  const store = openStore(readConfig({ DATABASE_URL: database.url }).database);
  onTestFinished(store.close);
  const process = { aheadMs };
  const reports: Array<boolean | string> = [];
  const clock = await openServerClock({
    read: store.readClock,
    readHosts: async () => hosts,
    now: () => Date.now() + process.aheadMs,
    onDifference: (_, isTooLarge) => void reports.push(isTooLarge),
    onHostDifference: ({ host }) => void reports.push(host),
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
  expect(await clock.readPurgeTime()).toBeUndefined();
  expect(Math.round(clock.aheadMs() / dayMs)).toBe(-1);
  expect(reports).toEqual([true]);
  process.aheadMs = 0;
  expect((await clock.readPurgeTime()) ?? 0).toBeGreaterThanOrEqual(startedAtMs - 5_000);
  expect(reports).toEqual([true, false]);
});

test.each([
  [59, true],
  [-59, true],
  [61, false],
  [-61, false],
])('a process whose clock is %s s ahead of the database purges: %s', async (aheadSeconds, isPurging) => {
  const { clock } = await openClock(aheadSeconds * 1000);
  expect((await clock.readPurgeTime()) !== undefined).toBe(isPurging);
});

test('no process purges while the clock of any database host differs', async () => {
  const hosts = [
    { host: 'db1:3306', aheadMs: 5 },
    { host: 'db2:3306', aheadMs: 61_000 },
  ];
  const { clock, reports } = await openClock(0, hosts);
  expect(await clock.readPurgeTime()).toBeUndefined();
  expect(reports).toEqual(['db2:3306']);
});

test('the clocks of all hosts of a database are compared', async () => {
  const database = await temporaryDatabase('mysql');
  const { hostname, port, pathname, username } = new URL(database.url);
  const address = `${hostname}:${port || 3306}`;
  const store = openStore(
    readConfig({ DATABASE_URL: `mysql://${username}@${address},${address}${pathname}` }).database,
  );
  onTestFinished(store.close);
  const clocks = await store.readHostClocks();
  expect(clocks.map(({ host, aheadMs }) => [host, Math.abs(aheadMs) < 5_000])).toEqual([
    [address, true],
    [address, true],
  ]);
});

test('a worker whose clock is 45 s ahead does not take the deliveries of another worker', async () => {
  const service = await startTestService({});
  const receiver = await startReceiver();
  const { id } = await register(service, receiver.url);
  const due = await storeDue(service, id, 5);
  const nowMs = await service.store.readClock();
  const range = { nowMs: nowMs + 5_000, leasedUntilMs: nowMs + 30_000 };
  const shares = (await service.store.run((knex) => findDueQueues(knex))).map((queue) => ({ queue, count: 1 }));
  const [held] = await service.store.run((knex) => claimDue(knex, { owner: 'f'.repeat(16), ...range, shares }));
  const worker = await startWorkerOn(service, [], 45_000);
  const stored = deliveriesOf(service, id);
  const isSettled = ({ status }: { status: string }) => status === 'delivered';
  await until('the other deliveries', async () => (await stored()).filter(isSettled).length === due.length - 1);
  // Closing waits for the deliveries in flight.
  await worker.close();
  expect((await stored()).filter((it) => !isSettled(it))).toMatchObject([
    { deliveryId: held?.deliveryId, owner: 'f'.repeat(16) },
  ]);
});
