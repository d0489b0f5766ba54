import { expect, test } from 'vitest';
import type { Store } from '../../src/store/store.js';

test('a query on account data does not compile without an account', () => {
  const attempts = (store: Store) => [
    // @ts-expect-error a reader requires an account
    () => store.read(),
    // @ts-expect-error a writer requires an account
    () => store.transact(async (writerOf) => writerOf()),
    // @ts-expect-error the store gives no other access to the tables
    () => store.sessions,
    // @ts-expect-error the reader gives no access to the database
    () => store.read('acc_1').knex,
  ];
  expect(attempts).toHaveLength(1);
});
