import type { Knex } from 'knex';
import { createDigest } from '../contract/derive-key.js';
import { nameColumns } from './columns.js';
import type { DeletedBatch } from './delete-oldest.js';
import { listPages } from './people.js';
import { changeRows } from './row-codes.js';
import { chunksOf, insertRows, selectRows, type Statement } from './rows.js';
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

/** Returns a function that digests ids with a key derived from each of the deployment's keys. */
export function createDigestId(secretsKeys: readonly string[]): DigestId {
  const digest = createDigest(secretsKeys, 'erased ids');
  return (accountId, { kind, id }) => digest(JSON.stringify([accountId, kind, id]));
}

export interface ErasedRow {
  readonly digest: string;
  readonly erased_at_ms: number | string;
}

/** Returns the times of erasures by digest, in epoch ms. */
export function readTimes(rows: readonly ErasedRow[]): Map<string, number> {
  return new Map(rows.map((row) => [row.digest, Number(row.erased_at_ms)]));
}

/** The ids of one account that were erased, with the time of their newest erasure. */
export function createErasedIdTable({ knex, accountId }: ReadScope) {
  return {
    /** Stores the time of an erasure, in epoch ms. */
    async add(digests: readonly string[], erasedAtMs: number): Promise<void> {
      for (const chunk of chunksOf(digests)) {
        const added = chunk.map((digest) => ({ account_id: accountId, digest, erased_at_ms: erasedAtMs }));
        await changeRows(
          knex,
          'erased_ids',
          (rows) => rows.where({ account_id: accountId }).whereIn('digest', chunk),
          (on) => insertRows(on, 'erased_ids', added, { key: ['account_id', 'digest'], merged: ['erased_at_ms'] }),
        );
      }
    },

    /** Returns the query for erasures with any of these digests, at least one. */
    toFind(digests: readonly string[]): Statement {
      const marks = digests.map(() => '?').join(', ');
      const sql = `select digest, erased_at_ms from erased_ids where account_id = ? and digest in (${marks})`;
      return { sql, bindings: [accountId, ...digests] };
    },

    /** Returns the times of erasures by digest, in epoch ms. */
    async find(digests: readonly string[]): Promise<Map<string, number>> {
      return digests.length === 0 ? new Map() : readTimes(await selectRows<ErasedRow>(knex, this.toFind(digests)));
    },
  };
}

/** Returns the erased ones of some people, with the time of their newest erasure in epoch ms. */
export async function findErasures(
  scope: ReadScope,
  subjectIds: readonly string[],
  digestId: DigestId,
): Promise<Map<string, number>> {
  const digests = new Map(subjectIds.map((id) => [id, digestId(scope.accountId, { kind: 'subject', id })]));
  const erased = new Map<string, number>();
  for (const some of chunksOf([...digests.values()].flat()))
    for (const [digest, atMs] of await createErasedIdTable(scope).find(some)) erased.set(digest, atMs);
  const times = [...digests].flatMap(([id, all]): Array<[string, number]> => {
    const atMs = Math.max(...all.map((it) => erased.get(it) ?? -Infinity));
    return atMs > -Infinity ? [[id, atMs]] : [];
  });
  return new Map(times);
}

export interface StoredErasure {
  readonly accountId: string;
  readonly digest: string;
  readonly erasedAtMs: number;
}

const erasureColumns = nameColumns('accountId digest erasedAtMs');

/** Deletes at most `batch` erased ids from before `beforeMs`, oldest first. */
export async function purgeErasedIds(knex: Knex, beforeMs: number, batch: number): Promise<DeletedBatch> {
  const expired = (rows: Knex.QueryBuilder) => rows.where('erased_at_ms', '<', beforeMs);
  const oldest: StoredErasure[] = await expired(knex('erased_ids'))
    .orderBy('erased_at_ms')
    .limit(batch)
    .select(erasureColumns);
  const ids = oldest.map(({ accountId, digest }) => [accountId, digest]);
  if (ids.length === 0) return { rows: 0 };
  // The condition on the time keeps an id that was erased again.
  const select = (rows: Knex.QueryBuilder) => expired(rows).whereIn(['account_id', 'digest'], ids);
  const rows = await changeRows(knex, 'erased_ids', select, (on) => select(on('erased_ids')).delete());
  return { rows, oldestMs: Number(oldest[0]?.erasedAtMs) };
}

/** The erased ids of all accounts, for the record outside of the database. */
export function createErasedIdRecord(knex: Knex) {
  return {
    /** Yields the ids that were erased at `sinceMs` or later, in pages. */
    since: (sinceMs: number): AsyncGenerator<StoredErasure[]> =>
      listPages(knex('erased_ids').where('erased_at_ms', '>=', sinceMs).select(erasureColumns), 'accountId digest'),

    /** Stores erasures, unless newer ones are stored. */
    async add(erasures: readonly StoredErasure[]): Promise<void> {
      for (const { accountId, digest, erasedAtMs } of erasures) {
        const table = createErasedIdTable({ knex, accountId });
        if (((await table.find([digest])).get(digest) ?? -1) < erasedAtMs) await table.add([digest], erasedAtMs);
      }
    },
  };
}
