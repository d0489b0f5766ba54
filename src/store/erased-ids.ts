import type { Knex } from 'knex';
import { listPages } from './people.js';
import { insertRows } from './rows.js';
import type { ReadScope } from './scope.js';

/** An id that an erasure removed. */
export interface ErasedId {
  readonly kind: 'session' | 'subject';
  readonly id: string;
}

/**
 * Returns the keyed digests of an id, one per key of SECRETS_KEY. The database therefore does not contain the id of an
 * erased person.
 */
export type DigestId = (
  accountId: string,
  digested: { readonly kind: ErasedId['kind'] | 'link'; readonly id: string },
) => readonly string[];

/** The ids of one account that were erased, with the time of their newest erasure. */
export function createErasedIdTable({ knex, accountId }: ReadScope) {
  return {
    /** Stores the time of an erasure, in epoch ms. */
    async add(digests: readonly string[], erasedAtMs: number): Promise<void> {
      const rows = digests.map((digest) => ({ account_id: accountId, digest, erased_at_ms: erasedAtMs }));
      await insertRows(knex, 'erased_ids', rows, { key: ['account_id', 'digest'], merged: ['erased_at_ms'] });
    },

    /** Returns the times of erasures by digest, in epoch ms. */
    async find(digests: readonly string[]): Promise<Map<string, number>> {
      const rows = await knex('erased_ids')
        .select('digest', 'erased_at_ms')
        .where({ account_id: accountId })
        .whereIn('digest', digests);
      return new Map(rows.map((row) => [row.digest, Number(row.erased_at_ms)]));
    },
  };
}

export interface StoredErasure {
  readonly accountId: string;
  readonly digest: string;
  readonly erasedAtMs: number;
}

/** The erased ids of all accounts, for the record outside of the database. */
export function createErasedIdRecord(knex: Knex) {
  return {
    /** Yields the ids that were erased at `sinceMs` or later, in pages. */
    since: (sinceMs: number): AsyncGenerator<StoredErasure[]> =>
      listPages<StoredErasure>(
        knex('erased_ids').where('erased_at_ms', '>=', sinceMs),
        { accountId: 'account_id', digest: 'digest', erasedAtMs: 'erased_at_ms' },
        ['accountId', 'digest'],
      ),

    /** Stores erasures, unless newer ones are stored. */
    async add(erasures: readonly StoredErasure[]): Promise<void> {
      for (const { accountId, digest, erasedAtMs } of erasures) {
        const table = createErasedIdTable({ knex, accountId });
        if (((await table.find([digest])).get(digest) ?? -1) < erasedAtMs) await table.add([digest], erasedAtMs);
      }
    },
  };
}
