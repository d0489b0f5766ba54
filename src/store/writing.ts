import { randomBytes } from 'node:crypto';
import type { Session } from '../domain/session.js';
import type { KnownSubject } from './known-subject.js';
import { createRowCache, type RowCache } from './row-cache.js';

const versionBytes = 6;
/** Characters of JSON: about 4,000 sessions of 1,000 characters each, and their subjects. */
const sizeMax = { sessions: 4_000_000, subjects: 4_000_000 };

/** What one process knows of the rows that it writes. */
export interface Caches {
  readonly sessions: RowCache<Session>;
  readonly subjects: RowCache<KnownSubject>;
}

export function createCaches(): Caches {
  return { sessions: createRowCache(sizeMax.sessions), subjects: createRowCache(sizeMax.subjects) };
}

/** One transaction's writing. */
export interface Writing {
  /** Written with every row; no other transaction has the same. 12 hex characters. */
  readonly version: string;
  readonly caches: Caches;
  /** For what counts only once the transaction is committed. */
  readonly afterCommit: Array<() => void>;
}

export function beginWriting(caches: Caches): Writing {
  return { version: randomBytes(versionBytes).toString('hex'), caches, afterCommit: [] };
}
