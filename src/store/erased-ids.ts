import type { Knex } from 'knex';
import { deleteOldest } from './delete-oldest.js';
import { insertRows } from './insert-rows.js';

/** An id that an erasure removed. */
export interface ErasedId {
  readonly kind: 'session' | 'subject';
  readonly id: string;
}

/**
 * Returns the keyed digests of an id, one per key of SECRETS_KEY. The database therefore does not contain the id of an
 * erased person.
 */
export type DigestId = (accountId: string, erased: ErasedId) => readonly string[];

const insertMax = 500;

/** The ids of one account that were erased, with the time of their newest erasure. */
export function erasedIdTable(knex: Knex, accountId: string) {
  return {
    /** Stores the time of an erasure, epoch ms. */
    async add(digests: readonly string[], erasedAtMs: number): Promise<void> {
      const rows = digests.map((digest) => ({ account_id: accountId, digest, erased_at_ms: erasedAtMs }));
      for (let from = 0; from < rows.length; from += insertMax)
        await insertRows(knex, 'erased_ids', rows.slice(from, from + insertMax), {
          key: ['account_id', 'digest'],
          merged: ['erased_at_ms'],
        });
    },

    /** Returns the times of erasures by digest, epoch ms. */
    async find(digests: readonly string[]): Promise<Map<string, number>> {
      const rows = await knex('erased_ids')
        .select('digest', 'erased_at_ms')
        .where({ account_id: accountId })
        .whereIn('digest', digests);
      return new Map(rows.map((row) => [row.digest, Number(row.erased_at_ms)]));
    },
  };
}

/** Deletes at most `batch` ids that were erased before `beforeMs`. Returns their number. */
export function purgeErasedIds(knex: Knex, beforeMs: number, batch: number): Promise<number> {
  return deleteOldest(knex, 'erased_ids', 'erased_at_ms', beforeMs, batch);
}
