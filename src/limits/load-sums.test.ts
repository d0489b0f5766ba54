import { expect, test } from 'vitest';
import type { Load } from '../store/usage-hours.js';
import { createLoadSums } from './load-sums.js';

test('sums that cannot be written are written later, each one once', async () => {
  const { add, write } = createLoadSums();
  for (let index = 0; index < 450; index += 1) add(`acc_${index}`, { calls: 1, bytes: index });
  const written: Load[] = [];
  let left = 1;
  const writeBatch = async (loads: readonly Load[]) => {
    if ((left -= 1) < 0) throw new Error('the database is unavailable');
    written.push(...loads);
  };
  await expect(write(writeBatch)).rejects.toThrow('unavailable');
  add('acc_449', { calls: 1 });
  left = Infinity;
  await write(writeBatch);
  expect(written.map(({ accountId }) => accountId).sort()).toEqual(
    Array.from({ length: 450 }, (_, index) => `acc_${index}`).sort(),
  );
  expect(written.at(-1)).toMatchObject({ accountId: 'acc_449', calls: 2, bytes: 449 });
});

test('works at the same time share the time in which the thread is busy', async () => {
  const { begin, take } = createLoadSums();
  await new Promise(setImmediate);
  const startedMs = performance.now();
  const [end, endOther] = [begin('one'), begin('two', 'three')];
  JSON.stringify(Array.from({ length: 100_000 }, String));
  end(1);
  endOther(2);
  const elapsedMs = performance.now() - startedMs;
  const [one, two, three] = take();
  expect([one, two, three]).toMatchObject([{ rowCount: 1 }, { rowCount: 2 }, { rowCount: 2, cpuMs: two?.cpuMs }]);
  const cpuMs = [one, two, three].map((it) => it?.cpuMs ?? 0);
  expect(Math.min(...cpuMs)).toBeGreaterThan(0);
  expect(cpuMs.reduce((sum, it) => sum + it)).toBeLessThanOrEqual(elapsedMs);
});
