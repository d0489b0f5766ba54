import type { Knex } from 'knex';
import { expect, test } from 'vitest';
import { createSessionReader } from '../../src/store/sessions.js';
import type { Store } from '../../src/store/store.js';

test('a query on account data does not compile without an account', () => {
  const attempts = (store: Store) => [
    // @ts-expect-error a reader requires an account
    () => store.read(),
    // @ts-expect-error a writer requires an account
    () => store.transact(async (scopeOf) => scopeOf()),
    // @ts-expect-error the store gives no other access to the tables
    () => store.sessions,
    // @ts-expect-error a scope is of one account
    () => createSessionReader({ knex: {} as Knex }),
  ];
  expect(attempts).toHaveLength(1);
});
