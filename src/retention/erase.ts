import type { Store, Writer } from '../store/store.js';

const erasuresAtOnce = 100;
const batchRows = 500;

/**
 * Erases all that is known about a subject: first, in one transaction, everything that could show it again, then the
 * readings of its sessions in small batches. Resolves with the number of sessions; undefined where nothing was known.
 */
export async function eraseSubject(store: Store, accountId: string, subjectId: string): Promise<number | undefined> {
  const sessions = await store.transact((writerOf) => bury(writerOf(accountId), subjectId));
  if (sessions !== undefined) await finishErasures(store);
  return sessions;
}

/** Does what erasures have left to do, also those that a stopped process began. */
export async function finishErasures(store: Store): Promise<void> {
  for (;;) {
    const erasures = await store.findErasures(erasuresAtOnce);
    if (erasures.length === 0) return;
    for (const erasure of erasures) while (!(await store.eraseReadings(erasure, batchRows)));
  }
}

/** The subject's row first: whoever is writing to it finishes before, whoever comes later starts afresh. */
async function bury(writer: Writer, subjectId: string): Promise<number | undefined> {
  const isKnown = await writer.subjects.remove(subjectId);
  const triggers = await writer.triggers.removeAll(subjectId);
  const sessions = await writer.burySessions(subjectId);
  return isKnown || triggers > 0 || sessions > 0 ? sessions : undefined;
}
