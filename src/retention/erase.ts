import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Erasure } from '../store/erasures.js';
import type { Store, Writer } from '../store/store.js';

const erasuresAtOnce = 100;
const batchRows = 500;

/**
 * Erases all that is known about a subject: first, in one transaction, everything that could show it again, then the
 * readings of its sessions in small batches. Resolves with the number of sessions; undefined where nothing was known.
 */
export async function eraseSubject(store: Store, accountId: string, subjectId: string): Promise<number | undefined> {
  const erasures = await store.transact((writerOf) => bury(writerOf(accountId), subjectId));
  if (erasures) await finish(store, erasures);
  return erasures?.length;
}

/** Does what erasures of stopped processes have left to do, until there is nothing left or it is told to stop. */
export async function finishErasures(store: Store, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const erasures = await store.findErasures(erasuresAtOnce);
    if (erasures.length === 0 || signal?.aborted) return;
    await finish(store, erasures, signal);
  }
}

/** Batch by batch, with everybody else's turn in between: SQLite works on the thread that serves. */
async function finish(store: Store, erasures: readonly Erasure[], signal?: AbortSignal): Promise<void> {
  for (const erasure of erasures)
    while (!signal?.aborted && !(await store.eraseReadings(erasure, batchRows))) await yieldToOthers();
}

/**
 * Under the subject's lock from the start, even where nothing is known of it: whoever is writing to it finishes before,
 * whoever comes later starts afresh, and no session of it can appear in between.
 */
async function bury(writer: Writer, subjectId: string): Promise<readonly Erasure[] | undefined> {
  const locked = await writer.subjects.lock([subjectId]);
  const triggers = await writer.triggers.removeAll(subjectId);
  const sessions = await writer.burySessions(subjectId);
  await writer.subjects.remove(subjectId);
  return locked.get(subjectId) || triggers > 0 || sessions.length > 0 ? sessions : undefined;
}
