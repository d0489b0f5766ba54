import { expect, test } from 'vitest';
import { createRowCache, noVersion } from './row-cache.js';

const nothingToRead = () => Promise.reject(new Error('read in spite of what is kept'));
const row = (id: string, version: string) => ({ id, version });

test('cached content is used by account, id and version, and all other rows are read in one query', async () => {
  const cache = createRowCache<{ readonly n: number }>(10_000);
  cache.keep('a', row('s1', 'v1'), { n: 1 }, 10);
  cache.keep('a', row('s2', 'v1'), { n: 2 }, 10);
  expect(await cache.contentsOf('a', [row('s1', 'v1'), row('s2', 'v1')], nothingToRead)).toEqual(
    new Map([
      ['s1', { n: 1 }],
      ['s2', { n: 2 }],
    ]),
  );
  const asked: string[][] = [];
  const read = async (ids: string[]) => {
    asked.push(ids);
    return new Map(ids.map((id) => [id, { n: 0 }]));
  };
  await cache.contentsOf('a', [row('s1', 'v2'), row('s2', 'v1'), row('s3', 'v1')], read);
  await cache.contentsOf('b', [row('s1', 'v1')], read);
  expect(asked).toEqual([['s1', 's3'], ['s1']]);
});

test('a row without a version has no content, even if the cache has an entry for it', async () => {
  const cache = createRowCache<{ readonly n: number }>(10_000);
  cache.keep('a', row('s1', 'v1'), { n: 1 }, 10);
  const contents = await cache.contentsOf('a', [row('s1', noVersion)], nothingToRead);
  expect(contents).toEqual(new Map([['s1', undefined]]));
});

test('the cache stays within its size limit', async () => {
  // An entry of 1,000 characters has 1,890 bytes.
  const cache = createRowCache<{ readonly n: number }>(10 * 1_890);
  for (let n = 0; n < 50; n += 1) cache.keep('a', row(`s${n}`, 'v1'), { n }, 1_000);
  const rows = Array.from({ length: 50 }, (_, n) => row(`s${n}`, 'v1'));
  let asked = 0;
  await cache.contentsOf('a', rows, async (ids) => {
    asked = ids.length;
    return new Map();
  });
  expect(asked).toBe(40);
});
