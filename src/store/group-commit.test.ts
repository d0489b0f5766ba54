import { expect, test } from 'vitest';
import { createGroupCommit } from './group-commit.js';

const isOutage = (error: unknown) => (error as Error).message === 'outage';

/** Returns a commit function that the test completes. The result of an item is twice the item. */
function manualCommit() {
  const groups: number[][] = [];
  const endings: Array<(error?: Error) => void> = [];
  const commit = (group: readonly number[]) =>
    new Promise<number[]>((resolve, reject) => {
      groups.push([...group]);
      endings.push((error) => (error ? reject(error) : resolve(group.map((item) => item * 2))));
    });
  const end = async (error?: Error) => {
    await expect.poll(() => endings.length).toBeGreaterThan(0);
    endings.shift()?.(error);
  };
  return { groups, commit, end };
}

test('items that arrive during a commit form the next group, in order of arrival', async () => {
  const { groups, commit, end } = manualCommit();
  const group = createGroupCommit({ commit, isOutage, groupMax: 10, queueMax: 100 });
  const first = group.submit(1);
  await expect.poll(() => groups).toHaveLength(1);
  const others = [2, 3, 4].map((item) => group.submit(item));
  await end();
  await end();
  expect(await Promise.all([first, ...others])).toEqual([2, 4, 6, 8]);
  expect(groups).toEqual([[1], [2, 3, 4]]);
});

test('a group has at most groupMax items', async () => {
  const { groups, commit, end } = manualCommit();
  const group = createGroupCommit({ commit, isOutage, groupMax: 2, queueMax: 100 });
  const all = Promise.all([1, 2, 3].map((item) => group.submit(item)));
  await end();
  await end();
  await all;
  expect(groups).toEqual([[1, 2], [3]]);
});

test('a group takes the items of all accounts alternately, and keeps the order of each account', async () => {
  const { groups, commit, end } = manualCommit();
  const accountOf = (item: number) => String(Math.floor(item / 10));
  const orderKeyOf = (item: number) => `${accountOf(item)} ${item % 2}`;
  const group = createGroupCommit({ commit, isOutage, groupMax: 3, queueMax: 100, orderKeyOf, accountOf });
  const all = Promise.all([10, 11, 12, 13, 14, 20, 15, 30, 16].map((item) => group.submit(item)));
  for (let ended = 0; ended < 3; ended += 1) await end();
  expect(await all).toHaveLength(9);
  expect(groups).toEqual([
    [10, 20, 30],
    [11, 12, 13],
    [14, 15, 16],
  ]);
});

test('a second group starts during a commit when enough items wait, and a third group does not', async () => {
  const { groups, commit, end } = manualCommit();
  const group = createGroupCommit({ commit, isOutage, groupMax: 10, queueMax: 100, secondFrom: 2 });
  const first = group.submit(1);
  await expect.poll(() => groups).toHaveLength(1);
  const second = [2, 3].map((item) => group.submit(item));
  await expect.poll(() => groups).toEqual([[1], [2, 3]]);
  const third = [4, 5, 6].map((item) => group.submit(item));
  await new Promise(setImmediate);
  expect(groups).toHaveLength(2);
  for (let ended = 0; ended < 3; ended += 1) await end();
  expect(await Promise.all([first, ...second, ...third])).toEqual([2, 4, 6, 8, 10, 12]);
});

test('items that are too few for a second group are committed after the first group', async () => {
  const { groups, commit, end } = manualCommit();
  const group = createGroupCommit({ commit, isOutage, groupMax: 10, queueMax: 100, secondFrom: 2 });
  const all = [group.submit(1)];
  await expect.poll(() => groups).toHaveLength(1);
  all.push(group.submit(2));
  await end();
  await end();
  expect(await Promise.all(all)).toEqual([2, 4]);
  expect(groups).toEqual([[1], [2]]);
});

test('two groups that are committed concurrently never contain items with the same order key', async () => {
  const { groups, commit, end } = manualCommit();
  const orderKeyOf = (item: number) => String(item % 10);
  const group = createGroupCommit({ commit, isOutage, groupMax: 3, queueMax: 100, secondFrom: 1, orderKeyOf });
  const all = [11, 21, 12, 31, 41, 13].map((item) => group.submit(item));
  // The second group skips 31 and 41, because 11 and 21 are being committed.
  await expect.poll(() => groups).toEqual([[11, 21, 12], [13]]);
  await end();
  await expect.poll(() => groups).toEqual([[11, 21, 12], [13], [31, 41]]);
  await end();
  await end();
  expect(await Promise.all(all)).toEqual([22, 42, 24, 62, 82, 26]);
});

test('a full queue rejects the new item and keeps the others', async () => {
  const { commit, end } = manualCommit();
  const group = createGroupCommit({ commit, isOutage, groupMax: 10, queueMax: 2 });
  const kept = Promise.all([group.submit(1), group.submit(2)]);
  await expect(group.submit(3)).rejects.toMatchObject({ code: 'service_unavailable' });
  await end();
  expect(await kept).toEqual([2, 4]);
});

test('when a group fails, each item is committed separately and only the invalid item fails', async () => {
  const commit = async (group: readonly number[]) => {
    if (group.includes(2)) throw new Error('poison');
    return group.map((item) => item * 2);
  };
  const group = createGroupCommit({ commit, isOutage, groupMax: 10, queueMax: 100 });
  const settled = await Promise.allSettled([1, 2, 3].map((item) => group.submit(item)));
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('an outage rejects the whole group after one attempt', async () => {
  let tries = 0;
  const commit = async () => {
    tries++;
    throw new Error('outage');
  };
  const group = createGroupCommit<number, number>({ commit, isOutage, groupMax: 10, queueMax: 100 });
  const settled = await Promise.allSettled([1, 2, 3].map((item) => group.submit(item)));
  expect(settled.every(({ status }) => status === 'rejected')).toBe(true);
  expect(tries).toBe(1);
});

test('close settles queued items and rejects new ones', async () => {
  const { commit, end } = manualCommit();
  const group = createGroupCommit({ commit, isOutage, groupMax: 1, queueMax: 100 });
  const waiting = Promise.all([group.submit(1), group.submit(2)]);
  const closed = group.close();
  await expect(group.submit(3)).rejects.toMatchObject({ code: 'service_unavailable' });
  await end();
  await end();
  await closed;
  expect(await waiting).toEqual([2, 4]);
});
