import type { Knex } from 'knex';
import type { Schema } from '../contract/contract.js';
import { nameColumns, startAfter } from './columns.js';
import { listPages } from './people.js';
import { isMysql } from './rows.js';

/** In place of a pseudonym: the access concerns all persons of the account. */
export const everyone = '*';
/** In place of a pseudonym: the session has no person. */
export const nobody = '-';
/** In place of a pseudonym: the person was erased before the entry was stored. */
export const erasedPerson = '!';

/** The last entry of the previous page. */
export type AccessCursor = Pick<ChainedEntry, 'atMs' | 'chainId' | 'seq'>;

export const entryColumns = nameColumns('chainId seq atMs accountId keyId credential action operation subject mac');
export const checkpointColumns = nameColumns('chainId keyCheck seq mac atMs signature');

export function createQueries(knex: Knex) {
  const entries = () => knex('access_entries').select(entryColumns);
  const newestFirst = (query: Knex.QueryBuilder, after?: AccessCursor) =>
    startAfter(query, 'desc', { at_ms: after?.atMs, chain_id: after?.chainId, seq: after?.seq });

  /** Returns at most `max` entries of one subject after a cursor, newest first. */
  async function readPage(
    accountId: string,
    subject: string,
    after: AccessCursor | undefined,
    max: number,
  ): Promise<ChainedEntry[]> {
    return newestFirst(entries().where({ account_id: accountId, subject }), after).limit(max);
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

    /** Returns at most `max` accesses, newest first. If `accountId` is given, only entries of that account. */
    async newest(max: number, accountId?: string): Promise<ChainedEntry[]> {
      const query = newestFirst(entries().whereNot('credential', 'service')).limit(max);
      return accountId === undefined ? query : query.where({ account_id: accountId });
    },

    /** Returns the ids of all chains that have a checkpoint or an entry. */
    async chainIds(): Promise<string[]> {
      const named: string[] = await knex('access_chains').pluck('chain_id');
      const used: string[] = await knex('access_entries').distinct('chain_id').pluck('chain_id');
      return [...new Set([...named, ...used])].sort();
    },

    async findCheckpoint(chainId: string): Promise<Checkpoint | undefined> {
      return knex('access_chains').where({ chain_id: chainId }).first(checkpointColumns);
    },

    /** Returns at most `max` entries of a chain after `seq`, in their order. */
    async chainAfter(chainId: string, seq: number, max: number): Promise<AnyChainedEntry[]> {
      return entries().where({ chain_id: chainId }).where('seq', '>', seq).orderBy('seq').limit(max);
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

    /** Returns the triggers of the database with their tables. The service has none. */
    async triggers(): Promise<string[]> {
      const rows: Array<{ name: string; on: string }> = isMysql(knex)
        ? await knex('information_schema.triggers')
            .select({ name: 'trigger_name', on: 'event_object_table' })
            .whereRaw('trigger_schema = database()')
        : await knex('sqlite_master').select({ name: 'name', on: 'tbl_name' }).where({ type: 'trigger' });
      return rows.map(({ name, on }) => `${name} of ${on}`);
    },

    /** Returns the rows of all links, in pages. */
    async links(): Promise<AsyncIterable<PersonLink[]>> {
      const columns = nameColumns('accountId pseudonym subjectId code');
      return listPages<PersonLink>(knex('access_subjects').select(columns), 'accountId pseudonym');
    },
  };
}

function compareNewest(a: AccessCursor, b: AccessCursor): number {
  const byChain = Number(b.chainId > a.chainId) - Number(b.chainId < a.chainId);
  return b.atMs - a.atMs || byChain || b.seq - a.seq;
}

/** The link between a person and a pseudonym. */
interface PersonLink {
  readonly accountId: string;
  readonly pseudonym: string;
  /** Null after the erasure of the person. */
  readonly subjectId: string | null;
  readonly code: string;
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

/** An entry about the process or about rows that have codes. */
export interface ServiceEntry extends Pick<AccessEntry, 'atMs' | 'accountId' | 'operation' | 'subject'> {
  readonly credential: 'service';
  /**
   * `start`, `stop`: of the process. `continue`: the first entry of the next day. `add`, `remove`: a row of the table that
   * `operation` names. `code`: rows got codes. `coded`: all rows have codes.
   */
  readonly action: 'start' | 'stop' | 'continue' | 'add' | 'remove' | 'code' | 'coded';
  /** Code of the row, number of rows, or the previous chain with its last number. `-`: nothing. */
  readonly keyId: string;
}

type Unplaced<Entry extends AccessEntry | ServiceEntry> = Omit<Entry, 'atMs' | 'subject'> & Partial<Entry>;

/** An entry that has no place in a chain yet. Absent fields: the present minute, and nobody. */
export type NewEntry = Unplaced<AccessEntry> | Unplaced<ServiceEntry>;

/** A place in a chain. */
interface Place {
  /** 16 hex digits. */
  readonly chainId: string;
  /** 1 for the first entry of the chain. */
  readonly seq: number;
  /** Code of the entry and its predecessors, 64 hex digits. */
  readonly mac: string;
}

export type ChainedEntry = AccessEntry & Place;
export type AnyChainedEntry = (AccessEntry | ServiceEntry) & Place;

/** The last entry of a chain, signed. */
export interface Checkpoint extends Place {
  /** Check value of the secrets key, 16 hex digits. */
  readonly keyCheck: string;
  /** Time at which the entry was stored in epoch ms. */
  readonly atMs: number;
  readonly signature: string;
}
