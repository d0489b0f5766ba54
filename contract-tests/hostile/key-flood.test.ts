import { expect, test } from 'vitest';
import { createIdentify, generateKey } from '../../src/keys/identify.js';
import { createKey } from '../../src/keys/manage.js';
import { type KeyTable, createKeyTable } from '../../src/store/keys.js';
import { openMigrated } from '../../testkit/temporary-database.js';

const wrongKeys = 10_000;

test('ten thousand invalid keys are looked up in batches, and a valid key among them works', async () => {
  const { keys, queries } = await openKeys();
  const { key } = await createKey(keys, { account: 'ours', tier: 'solo' }, Date.now());
  const identify = createIdentify({ keys, now: Date.now, onExpiredUse() {} });
  const before = queries();
  let accepted = 0;
  let refused = 0;
  for (let from = 0; from < wrongKeys; from += 1_000) {
    const wrong = Array.from({ length: 1_000 }, generateKey);
    const identities = await Promise.all([...wrong, key].map((it) => identify(it, '127.0.0.1')));
    accepted += identities.filter(({ caller }) => caller !== undefined).length;
    refused += identities.filter(({ caller }) => caller === undefined).length;
  }
  console.log(`${wrongKeys} wrong keys: ${queries() - before} queries`);
  expect([accepted, refused]).toEqual([wrongKeys / 1_000, wrongKeys]);
  expect(queries() - before).toBeLessThan(wrongKeys / 100);
});

/** Opens the keys of a new database. Counts the queries. */
async function openKeys(): Promise<{ readonly keys: KeyTable; queries(): number }> {
  const { knex } = await openMigrated();
  let count = 0;
  knex.on('query', () => (count += 1));
  return { keys: createKeyTable(knex), queries: () => count };
}
