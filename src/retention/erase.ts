import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Erasure } from '../store/erasures.js';
import type { Store, Writer } from '../store/store.js';

const erasuresAtOnce = 100;
const batchRows = 500;

/**
 * Erases all data about a subject. Its deliveries are deleted in small batches. One transaction then deletes everything
 * that a request could return. At last, the readings of its sessions are deleted in small batches. Resolves with the
 * numbers of sessions and triggers, or undefined for an unknown subject.
 */
export async function eraseSubject(
  store: Store,
  accountId: string,
  subjectId: string,
): Promise<{ readonly sessions: number; readonly triggers: number } | undefined> {
  const deliveries = await eraseDeliveries(store, accountId, subjectId);
  const found = await store.transact((writerOf) => eraseUnderLock(writerOf(accountId), subjectId));
  const erased = found ?? (deliveries > 0 ? { sessions: [], triggers: 0 } : undefined);
  if (!erased) return undefined;
  await finish(store, erased.sessions);
  await store.erasedLog.truncate();
  return { sessions: erased.sessions.length, triggers: erased.triggers };
}

interface Erased {
  readonly sessions: readonly Erasure[];
  /** Number of triggers. */
  readonly triggers: number;
}

/** Completes erasures that a stopped process left unfinished, until none is left or `signal` aborts. */
export async function finishErasures(store: Store, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const erasures = await store.findErasures(erasuresAtOnce);
    if (erasures.length === 0 || signal?.aborted) return store.erasedLog.finish();
    await finish(store, erasures, signal);
    await store.erasedLog.truncate();
  }
}

/** Resolves with the number of deleted deliveries. */
async function eraseDeliveries(store: Store, accountId: string, subjectId: string): Promise<number> {
  let total = 0;
  for (;;) {
    const deleted = await store.eraseSomeDeliveries(accountId, subjectId, batchRows);
    total += deleted;
    if (deleted === 0) return total;
    await yieldToOthers();
  }
}

/** Yields between batches, because SQLite runs on the thread that does all other database work. */
async function finish(store: Store, erasures: readonly Erasure[], signal?: AbortSignal): Promise<void> {
  for (const erasure of erasures)
    while (!signal?.aborted && !(await store.eraseReadings(erasure, batchRows))) await yieldToOthers();
}

/**
 * Deletes everything but the readings, under the subject's lock, even if the subject is unknown. Concurrent writers
 * commit before the lock or start with a new subject after it, so no session of the subject is missed.
 */
async function eraseUnderLock(writer: Writer, subjectId: string): Promise<Erased | undefined> {
  const locked = await writer.subjects.lock([subjectId]);
  const triggers = await writer.triggers.removeAll(subjectId);
  const { sessions, notifications } = await writer.eraseSessions(subjectId);
  await writer.subjects.remove(subjectId);
  if (sessions.length > 0) await writer.positions.countErasure();
  return locked.get(subjectId) || triggers + sessions.length + notifications > 0 ? { sessions, triggers } : undefined;
}
