import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { createAccessTable, unlinkPerson } from '../store/accesses.js';
import { type DigestId, createErasedIdTable, type StoredErasure } from '../store/erased-ids.js';
import { eraseReadings, eraseSessions, eraseSomeDeliveries, type Erasure, findErasures } from '../store/erasures.js';
import { batchedTables, eraseRows, eraseSomeRows } from '../store/person-rows.js';
import type { WriteScope } from '../store/scope.js';
import type { Store } from '../store/store.js';
import { createPositionTable } from '../store/stream-positions.js';
import { createSubjectWriter } from '../store/subjects.js';

const erasuresAtOnce = 100;
const batchRows = 500;

export interface ErasureParts {
  readonly store: Store;
  readonly digestId: DigestId;
  /** The time of the database in epoch ms. */
  readonly now: () => number;
  /** Records a committed erasure outside of the database. */
  readonly recordErasures?: ((erasures: readonly StoredErasure[]) => void) | undefined;
}

/**
 * Erases all data about a subject in three steps:
 * 1. delete its deliveries, and rows of which it may have many, in small batches
 * 2. delete everything that a request could return, in one transaction
 * 3. delete the readings of its sessions, in small batches
 * Resolves with the numbers of sessions and triggers. Resolves with undefined for an unknown subject.
 */
export async function eraseSubject(
  parts: ErasureParts,
  accountId: string,
  subjectId: string,
): Promise<{ readonly sessions: number; readonly triggers: number } | undefined> {
  const { store, now } = parts;
  const deliveries = await inBatches(() =>
    store.transact((scopeOf) => eraseSomeDeliveries(scopeOf(accountId), subjectId, batchRows, now())),
  );
  for (const table of batchedTables)
    await inBatches(() => store.run((knex) => eraseSomeRows({ knex, accountId }, table, subjectId, batchRows)));
  const erased = await store.transact((scopeOf) => eraseUnderLock(parts, scopeOf(accountId), accountId, subjectId));
  parts.recordErasures?.(erased.erasures);
  if (!erased.isKnown && deliveries === 0) return undefined;
  // Again, because a process may have stored a pseudonym for an earlier access during the transaction.
  await store.use(createAccessTable).unlinkPerson(parts.digestId, accountId, subjectId);
  await finish(store, erased.sessions);
  await store.sqliteFiles.removeErased();
  return { sessions: erased.sessions.length, triggers: erased.triggers };
}

/** Completes erasures that a stopped process left unfinished. Resolves when all are complete or `signal` aborts. */
export async function finishErasures(store: Store, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const erasures = await store.run((knex) => findErasures(knex, erasuresAtOnce));
    if (erasures.length === 0 || signal?.aborted) return;
    await finish(store, erasures, signal);
    await store.sqliteFiles.removeErased();
  }
}

/** Deletes batches until nothing remains. Resolves with the number of deleted rows. */
async function inBatches(deleteBatch: () => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const deleted = await deleteBatch();
    total += deleted;
    if (deleted === 0) return total;
    await yieldToOthers();
  }
}

/** Completes erasures. Yields between batches, because SQLite runs on the thread that does all other database work. */
async function finish(store: Store, erasures: readonly Erasure[], signal?: AbortSignal): Promise<void> {
  for (const erasure of erasures)
    while (!signal?.aborted && !(await store.run((knex) => eraseReadings(knex, erasure, batchRows))))
      await yieldToOthers();
}

/**
 * Deletes everything except the readings, under the lock of the subject, even if the subject is unknown. Concurrent
 * writers either commit before the lock, or start with a new subject after it. No session of the subject is therefore
 * missed.
 *
 * Stores the time for the subject and its sessions, so that a token from before it cannot bring the subject back. Does so
 * for an unknown subject too, because a token may name a person who has no data yet.
 */
async function eraseUnderLock(
  { digestId, now }: ErasureParts,
  scope: WriteScope,
  accountId: string,
  subjectId: string,
) {
  const locked = await createSubjectWriter(scope).lock([subjectId]);
  // Also rows that were stored since the first step.
  const erasedRows = await eraseRows(scope, subjectId);
  const triggers = erasedRows.get('triggers') ?? 0;
  const tables = ['source_keys', 'person_links', 'alert_people', 'devices'];
  const named = tables.reduce((sum, it) => sum + (erasedRows.get(it) ?? 0), 0);
  const { sessions, notifications } = await eraseSessions(scope, subjectId, now());
  await createSubjectWriter(scope).remove(subjectId);
  const pseudonyms = await unlinkPerson(scope, digestId, subjectId);
  const erasedIds = sessions.map(({ session_id }) => ({ kind: 'session', id: session_id }) as const);
  const digests = [{ kind: 'subject', id: subjectId } as const, ...erasedIds].flatMap((it) => digestId(accountId, it));
  const erasedAtMs = now();
  await createErasedIdTable(scope).add(digests, erasedAtMs);
  if (sessions.length > 0) await createPositionTable(scope).countErasure();
  const removed = triggers + named + sessions.length + notifications + pseudonyms;
  const erasures = digests.map((digest) => ({ accountId, digest, erasedAtMs }));
  return { isKnown: Boolean(locked.get(subjectId)) || removed > 0, erasures, sessions, triggers };
}
