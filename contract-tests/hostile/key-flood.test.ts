import { expect, test } from 'vitest';
import { createGrants, generateKey } from '../../src/keys/identify.js';
import { createKey } from '../../src/keys/manage.js';
import { createSessionTokens } from '../../src/keys/session-token.js';
import { createFindGrants } from '../../src/keys/stored-grants.js';
import { createKeyTable } from '../../src/store/keys.js';
import { openMigrated } from '../../testkit/temporary-database.js';

const wrongKeys = 10_000;

test.each([
  ['keys', 'key', 'sk_'],
  ['source keys', 'source', 'wk_'],
  ['links', 'link', 'pl_'],
] as const)(
  'ten thousand invalid %s are looked up in batches, and a valid key among them works',
  async (_, kind, prefix) => {
    const { keys, identify, queries } = await openKeys();
    const { key } = await createKey(keys, { account: 'ours', tier: 'solo' }, Date.now());
    const before = queries();
    let accepted = 0;
    let refused = 0;
    for (let from = 0; from < wrongKeys; from += 1_000) {
      const wrong = Array.from({ length: 1_000 }, () => identify[kind](generateKey(prefix)));
      for (const { grant } of await Promise.all([...wrong, identify.key(key, '127.0.0.1')]))
        if (grant) accepted += 1;
        else refused += 1;
    }
    console.log(`${wrongKeys} wrong ${kind}s: ${queries() - before} queries`);
    expect([accepted, refused]).toEqual([wrongKeys / 1_000, wrongKeys]);
    expect(queries() - before).toBeLessThan(wrongKeys / 100);
  },
);

/** Opens the grants of a new database. Counts the queries. */
async function openKeys() {
  const { knex } = await openMigrated();
  let count = 0;
  knex.on('query', () => (count += 1));
  const parts = { findErased: async () => 0, toNamespace: () => '~', now: Date.now };
  const findGrants = createFindGrants({ store: { use: (table) => table(knex) }, ...parts });
  const { identify } = createGrants({
    ...{ findGrants, sessionTokens: createSessionTokens(['k']), now: Date.now, onExpiredUse() {} },
  });
  return { keys: createKeyTable(knex), identify, queries: () => count };
}
