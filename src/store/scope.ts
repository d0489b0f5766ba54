import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { Subject } from '../../packages/score/rows/person.js';
import type { Session } from '../../packages/score/rows/session.js';
import type { Trigger } from '../../packages/score/rows/trigger.js';
import { createRowCache, type RowCache } from './row-cache.js';

/** One account in the database. A function that takes a scope reads and writes only the rows of its account. */
export interface ReadScope {
  readonly knex: Knex;
  readonly accountId: string;
}

/**
 * Ends a slice of a long read if the rows since the last pause take some milliseconds, so that other work runs. Takes
 * the number of rows that the read has processed since it called the function.
 */
export type Pause = (rows: number) => Promise<void>;

/** Number of items that are processed without a pause. */
export const sliceItems = 250;

/** Yields the items in parts, and pauses after each of them. */
export async function* inSlices<T>(items: readonly T[], pause: Pause): AsyncGenerator<readonly T[]> {
  for (let from = 0; from < items.length; from += sliceItems) {
    const part = items.slice(from, from + sliceItems);
    yield part;
    await pause(part.length);
  }
}

/** One account, for reads that may take long. */
export interface SlicedScope extends ReadScope {
  readonly pause: Pause;
}

/** One account in a transaction. */
export interface WriteScope extends ReadScope, Writing {
  readonly knex: Knex.Transaction;
  /** Cached triggers of the subjects that the transaction has locked. */
  readonly known: KnownTriggers;
}

/** What the scopes of one transaction share. */
export interface Writing {
  /** Unique version that the transaction writes to every row, 12 hex characters. */
  readonly version: string;
  readonly caches: Caches;
  /** Functions to call after the commit, e.g. to update the caches. */
  readonly afterCommit: Array<() => void>;
}

export interface Caches {
  readonly sessions: RowCache<Session>;
  readonly subjects: RowCache<KnownSubject>;
}

/**
 * Cached data of a subject for one version of its row. Each change of the triggers also writes the subject row, which
 * changes the version.
 */
export interface KnownSubject {
  readonly subject: Subject;
  /** All triggers, by topic. Undefined until they are read. Updated only after a commit. */
  readonly triggers: Map<string, Trigger> | undefined;
}

type KnownTriggers = Map<string, KnownSubject['triggers']>;

const versionBytes = 6;
/** Cache limits, in bytes of memory. They allow about 5,000 sessions of 1,000 characters of JSON each, and their subjects. */
const bytesMax = { sessions: 10_000_000, subjects: 6_000_000 };

export function createCaches(): Caches {
  return { sessions: createRowCache(bytesMax.sessions), subjects: createRowCache(bytesMax.subjects) };
}

export function beginWriting(caches: Caches): Writing {
  return { version: randomBytes(versionBytes).toString('hex'), caches, afterCommit: [] };
}

export function toWriteScope(transaction: Knex.Transaction, writing: Writing, accountId: string): WriteScope {
  const { version, caches, afterCommit } = writing;
  return { knex: transaction, accountId, version, caches, afterCommit, known: new Map() };
}
