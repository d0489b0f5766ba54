import { setImmediate as runOtherWork } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createRoundRobin, type RoundRobin } from './round-robin.js';

/** Number of rows of a slice. */
const sliceRows = 10;

/** Runs a read of some slices. Appends its name when a slice begins and when the read ends. */
function read(roundRobin: RoundRobin, order: string[], accountId: string, name: string, slices: number): Promise<void> {
  return roundRobin.run(accountId, async (pause) => {
    for (let slice = 1; slice <= slices; slice += 1) {
      order.push(`${name}${slice}`);
      await pause(sliceRows);
    }
    order.push(`${name} ends`);
  });
}

test('accounts are served round robin, whatever number of reads each of them has', async () => {
  const roundRobin = createRoundRobin({ sliceRows });
  const order: string[] = [];
  const mine = ['a', 'b', 'c'].map((name) => read(roundRobin, order, 'mine', name, 2));
  const others = [read(roundRobin, order, 'other', 'x', 2), read(roundRobin, order, 'third', 'y', 2)];
  await Promise.all([...mine, ...others]);
  const slices = order.filter((it) => !it.endsWith('ends'));
  expect(slices.slice(0, 7)).toEqual(['a1', 'x1', 'y1', 'b1', 'x2', 'y2', 'c1']);
});

test('a short read of another account runs after one slice of an account with many long reads', async () => {
  const roundRobin = createRoundRobin({ sliceRows });
  const order: string[] = [];
  const long = Array.from({ length: 20 }, (_, index) => read(roundRobin, order, 'mine', `long-${index}-`, 5));
  await runOtherWork();
  const begun = order.length;
  await read(roundRobin, order, 'other', 'state', 0);
  expect(order.indexOf('state ends') - begun).toBeLessThanOrEqual(1);
  await Promise.all(long);
  expect(order.filter((it) => it.endsWith('ends'))).toHaveLength(21);
});

test('a short read of the same account waits for one slice of each of its long reads, not for their ends', async () => {
  const roundRobin = createRoundRobin({ sliceRows });
  const order: string[] = [];
  const long = [1, 2, 3].map((index) => read(roundRobin, order, 'mine', `long-${index}-`, 5));
  await read(roundRobin, order, 'mine', 'state', 0);
  expect(order).toEqual(['long-1-1', 'long-2-1', 'long-3-1', 'state ends']);
  await Promise.all(long);
});

test('other work of the event loop runs between two slices and between two reads', async () => {
  const roundRobin = createRoundRobin({ sliceRows });
  const order: string[] = [];
  const count = () => {
    order.push('event');
    if (order.length < 12) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all([read(roundRobin, order, 'mine', 'a', 2), read(roundRobin, order, 'mine', 'b', 1)]);
  const reads = order.flatMap((it, index) => (it === 'event' ? [] : [index])).map((index) => order[index - 1]);
  // The end of a read follows its last pause in the same slice.
  expect(reads.slice(1).filter((before) => before !== 'event')).toEqual([]);
});

test('a read pauses only after the rows of a slice', async () => {
  const roundRobin = createRoundRobin({ sliceRows });
  const order: string[] = [];
  const small = roundRobin.run('mine', async (pause) => {
    for (let rows = 0; rows < sliceRows - 1; rows += 1) {
      await pause(1);
      order.push('row');
    }
  });
  await Promise.all([small, read(roundRobin, order, 'other', 'x', 0)]);
  expect(order.at(-1)).toBe('x ends');
});

test('an account runs at most half of the reads at once, and its long reads one at a time', async () => {
  const roundRobin = createRoundRobin({ atOnce: 4, sliceRows });
  let [running, most] = [0, 0];
  const short = () =>
    roundRobin.run('mine', async () => {
      most = Math.max(most, (running += 1));
      await runOtherWork();
      running -= 1;
    });
  await Promise.all(Array.from({ length: 8 }, short));
  expect([running, most]).toEqual([0, 2]);
  most = 0;
  const long = () =>
    roundRobin.run('mine', async (pause) => {
      await pause(sliceRows);
      most = Math.max(most, (running += 1));
      await runOtherWork();
      running -= 1;
    });
  await Promise.all(Array.from({ length: 8 }, long));
  expect([running, most]).toEqual([0, 1]);
});

test('a read that fails leaves its place to the next one', async () => {
  const roundRobin = createRoundRobin({ sliceRows });
  const fail = async () => Promise.reject(new Error('no answer'));
  await expect(roundRobin.run('mine', fail)).rejects.toThrow('no answer');
  await roundRobin.run('mine', async (pause) => pause(sliceRows));
});
