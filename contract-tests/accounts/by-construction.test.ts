import { expect, test } from 'vitest';
import type { Store } from '../../src/store/store.js';

test('a query on account data does not compile without an account', () => {
  const wishes = (store: Store) => [
    // @ts-expect-error a reader is made for an account
    () => store.read(),
    // @ts-expect-error so is a writer
    () => store.transact(async (writerOf) => writerOf()),
    // @ts-expect-error there is no other way to the tables
    () => store.sessions,
    // @ts-expect-error and none past the reader
    () => store.read('acc_1').knex,
  ];
  expect(wishes).toHaveLength(1);
});
