import type { Knex } from 'knex';
import type { Schema } from '../contract/contract.js';
import { listPages } from './people.js';

/** In place of a pseudonym: the access concerns all persons of the account. */
export const everyone = '*';
/** In place of a pseudonym: the session has no person. */
export const nobody = '-';
/** In place of a pseudonym: the person was erased before the entry was stored. */
export const erasedPerson = '!';

/** The last entry of the previous page. */
export type AccessCursor = Pick<ChainedEntry, 'atMs' | 'chainId' | 'seq'>;

const columns = {
  chainId: 'chain_id',
  seq: 'seq',
  atMs: 'at_ms',
  accountId: 'account_id',
  keyId: 'key_id',
  credential: 'credential',
  action: 'action',
  operation: 'operation',
  subject: 'subject',
  mac: 'mac',
};

const newestFirst = ['at_ms', 'chain_id', 'seq'].map((column) => ({ column, order: 'desc' as const }));

/** Queries that read the access record. */
export function createQueries(knex: Knex) {
  const entries = () => knex('access_entries').select(columns);

  /** Returns at most `max` entries of one subject after a cursor, newest first. */
  function readPage(accountId: string, subject: string, after: AccessCursor | undefined, max: number) {
    const query = entries().where({ account_id: accountId, subject }).orderBy(newestFirst).limit(max);
    if (after) {
      const { atMs, chainId, seq } = after;
      query.where('at_ms', '<=', atMs);
      query.whereRaw('(at_ms < ? or chain_id < ? or (chain_id = ? and seq < ?))', [atMs, chainId, chainId, seq]);
    }
    return query.then(toEntries);
  }

  return {
    /** Returns at most `max` entries of a person and of all persons of the account, newest first. */
    async page(accountId: string, pseudonym: string | undefined, after: AccessCursor | undefined, max: number) {
      const subjects = pseudonym === undefined ? [everyone] : [everyone, pseudonym];
      // One query per subject, because an index orders only the entries of one subject.
      const pages = await Promise.all(subjects.map((subject) => readPage(accountId, subject, after, max)));
      return pages.flat().sort(compareNewest).slice(0, max);
    },

    /** Returns the pseudonym of a subject. Undefined if it has none. */
    async findPseudonym(accountId: string, subjectId: string): Promise<string | undefined> {
      const found = knex('access_subjects').where({ account_id: accountId, subject_id: subjectId });
      return (await found.first('pseudonym'))?.pseudonym;
    },

    /** Returns at most `max` entries, newest first. If `accountId` is given, only entries of that account. */
    newest(max: number, accountId?: string): Promise<ChainedEntry[]> {
      const query = entries().orderBy(newestFirst).limit(max);
      if (accountId !== undefined) query.where({ account_id: accountId });
      return query.then(toEntries);
    },

    /** Returns the ids of all chains that have a checkpoint or an entry. */
    async chainIds(): Promise<string[]> {
      const named: string[] = await knex('access_chains').pluck('chain_id');
      const used: string[] = await knex('access_entries').distinct('chain_id').pluck('chain_id');
      return [...new Set([...named, ...used])].sort();
    },

    /** Returns the checkpoint of a chain. Undefined if it has none. */
    async findCheckpoint(chainId: string): Promise<Checkpoint | undefined> {
      const row = await knex('access_chains').where({ chain_id: chainId }).first();
      if (!row) return undefined;
      const { key_check: keyCheck, mac, signature } = row;
      return { chainId, keyCheck, seq: Number(row.seq), mac, atMs: Number(row.at_ms), signature };
    },

    /** Returns at most `max` entries of a chain after `seq`, in their order. */
    chainAfter(chainId: string, seq: number, max: number): Promise<ChainedEntry[]> {
      const query = entries().where({ chain_id: chainId }).where('seq', '>', seq).orderBy('seq').limit(max);
      return query.then(toEntries);
    },

    /** Returns the number of entries of a chain before its first one. */
    async countBefore(chainId: string): Promise<number> {
      const early = knex('access_entries').where({ chain_id: chainId }).where('seq', '<', 1);
      return Number((await early.count({ count: '*' }).first())?.['count']);
    },

    /** Returns the pseudonyms in a chain that have no link. */
    findUnlinked(chainId: string): Promise<string[]> {
      return knex('access_entries as e')
        .leftJoin('access_subjects as s', { 's.account_id': 'e.account_id', 's.pseudonym': 'e.subject' })
        .where('e.chain_id', chainId)
        .whereNotIn('e.subject', [everyone, nobody, erasedPerson])
        .whereNull('s.pseudonym')
        .distinct('e.subject')
        .pluck('e.subject');
    },

    /** Returns the rows of all links, in pages. */
    async links(): Promise<
      AsyncIterable<Array<Record<'account_id' | 'pseudonym' | 'code', string> & { subject_id: string | null }>>
    > {
      return listPages(knex, {
        ...{ table: 'access_subjects', keys: ['account_id', 'pseudonym'] },
        columns: ['account_id', 'pseudonym', 'subject_id', 'code'],
        select: (query) => query,
        read: (row) => row as never,
      });
    },
  };
}

/** Converts the numbers, which MySQL's driver may return as text. */
function toEntries(rows: ReadonlyArray<Record<keyof typeof columns, unknown>>): ChainedEntry[] {
  return rows.map((row) => ({ ...row, seq: Number(row.seq), atMs: Number(row.atMs) }) as ChainedEntry);
}

function compareNewest(a: AccessCursor, b: AccessCursor): number {
  const byChain = Number(b.chainId > a.chainId) - Number(b.chainId < a.chainId);
  return b.atMs - a.atMs || byChain || b.seq - a.seq;
}

/** One or more requests of a key in a minute that concern the same data. */
export interface AccessEntry {
  /** Start of the minute in epoch ms. */
  readonly atMs: number;
  readonly accountId: string;
  readonly keyId: string;
  readonly credential: Schema<'Access'>['credential'];
  readonly action: Schema<'Access'>['action'];
  readonly operation: string;
  /** Pseudonym of the person, `everyone`, `nobody` or `erasedPerson`. */
  readonly subject: string;
}

/** An entry of a chain. */
export interface ChainedEntry extends AccessEntry {
  /** 16 hex digits. */
  readonly chainId: string;
  /** 1 for the first entry of the chain. */
  readonly seq: number;
  /** Code of the entry and its predecessors, 64 hex digits. */
  readonly mac: string;
}

/** The last entry of a chain, signed. */
export interface Checkpoint extends Pick<ChainedEntry, 'chainId' | 'seq' | 'mac'> {
  /** Check value of the secrets key, 16 hex digits. */
  readonly keyCheck: string;
  /** Time at which the entry was stored in epoch ms. */
  readonly atMs: number;
  readonly signature: string;
}
