import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import {
  type AnyChainedEntry,
  type Checkpoint,
  checkpointColumns,
  createQueries,
  entryColumns,
  erasedPerson,
  type NewEntry,
} from './access-queries.js';
import { toColumns } from './columns.js';
import type { DeletedBatch } from './delete-oldest.js';
import { createErasedIdTable, type DigestId } from './erased-ids.js';
import { retry } from './retry.js';
import { addEntries, type Extend, toEntry, transactCoded } from './row-codes.js';
import { chunksOf, insertRows } from './rows.js';
import type { ReadScope } from './scope.js';

const dayMs = 86_400_000;

export function createAccessTable(knex: Knex) {
  const findSubjects = (accountId: string) => knex('access_subjects').where({ account_id: accountId });

  async function findPseudonyms(digestId: DigestId, accountId: string, subjectIds: readonly string[], nowMs: number) {
    const rows = await findSubjects(accountId)
      .select('subject_id', 'pseudonym', 'code', 'used_at_ms')
      .whereIn('subject_id', subjectIds);
    const unused = rows.filter((row) => Number(row.used_at_ms) < nowMs - dayMs);
    const pseudonyms = unused.map((row) => row.pseudonym);
    if (unused.length > 0) await findSubjects(accountId).whereIn('pseudonym', pseudonyms).update({ used_at_ms: nowMs });
    for (const { pseudonym, subject_id, code: stored } of unused) {
      const [code, ...older] = signLink(digestId, accountId, pseudonym, subject_id);
      // A link may be in use longer than an earlier key of SECRETS_KEY.
      if (older.includes(stored)) await findSubjects(accountId).where({ pseudonym }).update({ code });
    }
    return new Map<string, string>(rows.map((row) => [row.subject_id, row.pseudonym]));
  }

  /** Stores a random pseudonym for each subject. Keeps one that another process has stored. */
  async function addPseudonyms(digestId: DigestId, accountId: string, subjectIds: readonly string[], nowMs: number) {
    const rows = subjectIds.map((subjectId) => {
      const pseudonym = randomBytes(16).toString('hex');
      const [code] = signLink(digestId, accountId, pseudonym, subjectId);
      return { account_id: accountId, pseudonym, subject_id: subjectId, code, used_at_ms: nowMs };
    });
    if (rows.length > 0) await knex('access_subjects').insert(rows).onConflict(['account_id', 'subject_id']).ignore();
  }

  /** Returns those ids of the account that belong to a person with data. */
  const findExisting = (accountId: string, subjectIds: readonly string[]): Promise<string[]> =>
    knex('subjects')
      .where({ account_id: accountId })
      .whereIn('subject_id', subjectIds)
      .whereNotNull('body')
      .pluck('subject_id');

  return {
    ...createQueries(knex),

    /** Returns the subjects of sessions. Sessions without a subject are absent. */
    async findSubjects(accountId: string, sessionIds: readonly string[]): Promise<Map<string, string>> {
      const found = new Map<string, string>();
      for (const ids of chunksOf(sessionIds)) {
        const rows = await knex('sessions')
          .select('session_id', 'subject_id')
          .where({ account_id: accountId })
          .whereIn('session_id', ids);
        for (const row of rows) if (row.subject_id !== null) found.set(row.session_id, row.subject_id);
      }
      return found;
    },

    /**
     * Returns the pseudonyms of subjects. Creates missing ones. A subject without data is absent. The pseudonym is
     * `erasedPerson` if the erasure of the subject is not older than its access (by subject, epoch ms): another one
     * would link an erased person to later requests.
     */
    async assignPseudonyms(
      accountId: string,
      accessedAtMs: ReadonlyMap<string, number>,
      digestId: DigestId,
      nowMs: number,
    ): Promise<Map<string, string>> {
      const assigned = new Map<string, string>();
      for (const ids of chunksOf([...accessedAtMs.keys()])) {
        const known = await findPseudonyms(digestId, accountId, ids, nowMs);
        const unknown = ids.filter((id) => !known.has(id));
        // Runs before the erasures are read. A person who is erased in between is then found in one of both.
        const existing = unknown.length > 0 ? await findExisting(accountId, unknown) : [];
        // Before the insert: even an updated row would leave the id of an erased person in the files of SQLite.
        const gone = new Set(await findErased(unknown));
        const missing = existing.filter((id) => !gone.has(id));
        await addPseudonyms(digestId, accountId, missing, nowMs);
        const erased = await findErased(missing);
        // After the insert: an erasure that commits later unlinks the inserted row itself.
        for (const id of erased) await unlinkPerson({ knex, accountId }, digestId, id);
        const added = missing.length > 0 ? await findPseudonyms(digestId, accountId, missing, nowMs) : [];
        for (const [id, pseudonym] of [...known, ...added]) assigned.set(id, pseudonym);
        for (const id of [...gone, ...erased]) assigned.set(id, erasedPerson);
      }
      return assigned;

      async function findErased(ids: readonly string[]): Promise<string[]> {
        if (ids.length === 0) return [];
        const digests = new Map(ids.map((id) => [id, digestId(accountId, { kind: 'subject', id })]));
        const erasedAtMs = await createErasedIdTable({ knex, accountId }).find([...digests.values()].flat());
        const isErased = (id: string) =>
          digests.get(id)?.some((digest) => (erasedAtMs.get(digest) ?? -1) >= (accessedAtMs.get(id) ?? 0));
        return ids.filter(isErased);
      }
    },

    unlinkPerson: (digestId: DigestId, accountId: string, subjectId: string) =>
      retry(() => unlinkPerson({ knex, accountId }, digestId, subjectId)),

    /** Stores entries in a chain. Idempotent for the same entries. */
    append: (extend: Extend, entries: readonly NewEntry[]): Promise<void> =>
      retry(() => transactCoded(knex, async (transaction) => addEntries(transaction, entries), extend)),

    /**
     * Deletes about `batch` entries of a chain whose checkpoint is older than `beforeMs`. Deletes whole chains, and the
     * checkpoint last, so that the remaining chains stay verifiable. Deletes no row when no such chain remains.
     */
    async purge(beforeMs: number, batch: number): Promise<DeletedBatch> {
      const chain = await knex('access_chains')
        .where('at_ms', '<', beforeMs)
        .orderBy('at_ms')
        .first('chain_id', 'at_ms');
      if (!chain) return { rows: 0 };
      const oldestMs = Number(chain.at_ms);
      const mine = () => knex('access_entries').where({ chain_id: chain.chain_id });
      const first = await mine().orderBy('seq').first('seq');
      const expired = first
        ? mine().where('seq', '<', Number(first.seq) + batch)
        : knex('access_chains').where({ chain_id: chain.chain_id });
      return { rows: await expired.delete(), oldestMs };
    },
  };
}

export type AccessTable = ReturnType<typeof createAccessTable>;

/** Entries and checkpoints, in the transaction that extends a chain. */
export function createChainRows(transaction: Knex) {
  return {
    lockCheckpoint: (chainId: string): Promise<Checkpoint | undefined> =>
      transaction('access_chains').where({ chain_id: chainId }).forUpdate().first(checkpointColumns),

    async hasEntry({ chainId, seq, mac }: Checkpoint): Promise<boolean> {
      return (await transaction('access_entries').where({ chain_id: chainId, seq, mac }).first('seq')) !== undefined;
    },

    /** Stores entries and the checkpoint after them. */
    async append(entries: readonly AnyChainedEntry[], checkpoint: Checkpoint): Promise<void> {
      const rows = entries.map((entry) => toColumns(entryColumns, entry));
      await insertRows(transaction, 'access_entries', rows);
      const merged = ['seq', 'mac', 'at_ms', 'signature'];
      const row = toColumns(checkpointColumns, checkpoint);
      await insertRows(transaction, 'access_chains', [row], { key: ['chain_id'], merged });
    },
  };
}

export type ChainRows = ReturnType<typeof createChainRows>;

/**
 * Returns the codes of the link between a person and a pseudonym, one per key of SECRETS_KEY. They do not reveal the
 * person. `subjectId` is null after the erasure of the person.
 */
export function signLink(digestId: DigestId, accountId: string, pseudonym: string, subjectId: string | null) {
  return digestId(accountId, { kind: 'link', id: JSON.stringify([pseudonym, subjectId]) });
}

/**
 * Removes a person from their link. Returns the number of changed rows. The row stays with a new code, so that a
 * deleted row is detected.
 */
export async function unlinkPerson(
  { knex, accountId }: ReadScope,
  digestId: DigestId,
  subjectId: string,
): Promise<number> {
  const mine = () => knex('access_subjects').where({ account_id: accountId, subject_id: subjectId });
  const link: { pseudonym: string; code: string } | undefined = await mine().first('pseudonym', 'code');
  if (!link) return 0;
  if (!knex.isTransaction)
    return transactCoded(knex, (transaction) => unlinkPerson({ knex: transaction, accountId }, digestId, subjectId));
  const { pseudonym } = link;
  const [code] = signLink(digestId, accountId, pseudonym, null);
  const unlinked = await mine().where({ pseudonym }).update({ subject_id: null, code });
  // The earlier row is then a fault, also if somebody puts it back.
  if (unlinked > 0)
    addEntries(knex, [toEntry('remove', 'access_subjects', { account_id: accountId, code: link.code })]);
  return unlinked;
}
