import type { Baseline } from './baseline.js';
import type { Session } from './session.js';
import type { Reading } from './signals.js';

/** Returns true if the reading names a different subject than the one that the session is bound to. */
export function isOtherSubject(session: Session | undefined, { subjectId }: Pick<Reading, 'subjectId'>): boolean {
  return session?.subjectId !== undefined && subjectId !== undefined && subjectId !== session.subjectId;
}

/**
 * Binds the session to the first named subject and uses the subject's baseline. Before that, the session has its own
 * baseline.
 */
export function identityOf(
  session: Session | undefined,
  reading: Reading,
  baseline: Baseline,
): Pick<Session, 'subjectId' | 'baseline'> {
  const subjectId = session?.subjectId ?? reading.subjectId;
  return { subjectId, baseline: subjectId === undefined ? baseline : undefined };
}
