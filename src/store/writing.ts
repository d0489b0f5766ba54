import { randomBytes } from 'node:crypto';
import type { KnownSubject } from './known-subject.js';
import { createRowCache, type RowCache } from './row-cache.js';
import type { Session } from '../score/remembered.js';

const versionBytes = 6;
/**
 * Cache limits, in characters of JSON. They allow about 4,000 sessions of 1,000 characters each, and their subjects.
 */
const sizeMax = { sessions: 4_000_000, subjects: 4_000_000 };

/** Row caches of one process. */
export interface Caches {
  readonly sessions: RowCache<Session>;
  readonly subjects: RowCache<KnownSubject>;
}

export function createCaches(): Caches {
  return { sessions: createRowCache(sizeMax.sessions), subjects: createRowCache(sizeMax.subjects) };
}

/** Context of the writes of one transaction. */
export interface Writing {
  /** Unique version that the transaction writes to every row, 12 hex characters. */
  readonly version: string;
  readonly caches: Caches;
  /** Functions to call after the commit, e.g. to update the caches. */
  readonly afterCommit: Array<() => void>;
}

export function beginWriting(caches: Caches): Writing {
  return { version: randomBytes(versionBytes).toString('hex'), caches, afterCommit: [] };
}
