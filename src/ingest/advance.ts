import type { Submission } from '../contract.js';
import { populationUsual } from '../domain/baseline.js';
import { type Answer, advanceSession, isOtherSubject, type Session } from '../domain/session.js';
import { fault, ProblemError } from '../problem.js';
import type { StoredReading } from '../store/readings.js';
import type { Store, Writer } from '../store/store.js';

/** A validated reading on its way into the database. */
export interface Submitted {
  readonly accountId: string;
  readonly submission: Submission;
  /** When it was sensed, epoch ms. */
  readonly timestampMs: number;
  readonly digest: string;
}

/** A refusal is an outcome of one reading and leaves the others of its group alone. */
export type Outcome = { readonly answer: Answer } | { readonly refusal: ProblemError };

/** What one account's part of a group knows while it is worked through. */
interface Progress {
  readonly sessions: Map<string, Session | undefined>;
  /** What was answered to readings that are stored already, by their key. */
  readonly answered: Map<string, Answer>;
  readonly changed: Map<string, Session>;
  readonly stored: StoredReading[];
}

/**
 * Takes the sessions of a group of readings further, in one transaction: load, compute, write. The outcomes are in
 * the order of the group; when this resolves they are durable, when it rejects nothing of the group is stored.
 */
export async function advanceGroup(store: Store, group: readonly Submitted[], nowMs: number): Promise<Outcome[]> {
  return store.transact(async (writerOf) => {
    const outcomes = new Map<Submitted, Outcome>();
    // In key order, so that two processes lock rows in the same order.
    for (const accountId of [...new Set(group.map((it) => it.accountId))].sort()) {
      const readings = group.filter((it) => it.accountId === accountId);
      const found = await advanceAccount(writerOf(accountId), readings, nowMs);
      for (const [index, reading] of readings.entries()) outcomes.set(reading, found[index] as Outcome);
    }
    return group.map((reading) => outcomes.get(reading) as Outcome);
  });
}

async function advanceAccount(writer: Writer, readings: readonly Submitted[], nowMs: number): Promise<Outcome[]> {
  const sessionIds = [...new Set(readings.map((it) => it.submission.session_id))];
  const sessions = await writer.sessions.lock(sessionIds, nowMs);
  const answered = await findAnswered(writer, readings, sessions);
  const progress: Progress = { sessions, answered, changed: new Map(), stored: [] };
  const outcomes = readings.map((reading) => advanceReading(progress, reading));
  await writer.sessions.save(progress.changed, nowMs);
  await writer.readings.append(progress.stored);
  return outcomes;
}

function advanceReading({ sessions, answered, changed, stored }: Progress, submitted: Submitted): Outcome {
  const { submission, timestampMs, digest } = submitted;
  const key = keyOf(submitted);
  const before = answered.get(key);
  if (before) return { answer: before };
  const { session_id: sessionId, subject_id: subjectId, ...signals } = submission;
  const reading = { ...signals, atMs: timestampMs, ...(subjectId !== undefined && { subjectId }) };
  const session = sessions.get(sessionId);
  if (isOtherSubject(session, reading)) return { refusal: subjectMismatch() };
  const step = advanceSession(session, reading, populationUsual);
  sessions.set(sessionId, step.session);
  changed.set(sessionId, step.session);
  stored.push({ sessionId, timestampMs, digest, point: step.point, answer: step.answer });
  answered.set(key, step.answer);
  return { answer: step.answer };
}

/** Only a reading that is not newer than its session can have been stored before. */
async function findAnswered(
  writer: Writer,
  readings: readonly Submitted[],
  sessions: ReadonlyMap<string, Session | undefined>,
): Promise<Map<string, Answer>> {
  const candidates = readings
    .map(({ submission, timestampMs, digest }) => ({ sessionId: submission.session_id, timestampMs, digest }))
    .filter(({ sessionId, timestampMs }) => timestampMs <= (sessions.get(sessionId)?.latest.timestampMs ?? -1));
  const found = await writer.readings.find(candidates);
  return new Map(found.map(({ sessionId, digest, answer }) => [`${sessionId} ${digest}`, answer]));
}

/** The digest covers the timestamp; ids hold no spaces. */
function keyOf({ submission, digest }: Submitted): string {
  return `${submission.session_id} ${digest}`;
}

function subjectMismatch(): ProblemError {
  return new ProblemError('subject_mismatch', { faults: [fault('subject_mismatch', { pointer: '/subject_id' })] });
}
