import type { Submission } from '../contract.js';
import type { Baseline } from '../domain/baseline.js';
import { type Answer, advanceSession, isOtherSubject, type Session, type Step } from '../domain/session.js';
import type { Reading } from '../domain/signals.js';
import { fault, ProblemError } from '../problem.js';
import type { StoredReading } from '../store/readings.js';
import type { StoredSession } from '../store/sessions.js';
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

type Advanced = StoredSession & { readonly session: Session };

/** What one account's part of a group knows while it is worked through. */
interface Progress {
  readonly sessions: Map<string, StoredSession>;
  readonly baselines: Map<string, Baseline | undefined>;
  /** What was answered to readings that are stored already, by their key. */
  readonly answered: Map<string, Answer>;
  readonly changed: { readonly sessions: Map<string, Advanced>; readonly baselines: Map<string, Baseline> };
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
  const sessionIds = readings.map((it) => it.submission.session_id);
  const sessions = await writer.sessions.lock([...new Set(sessionIds)], nowMs);
  // Always after the sessions, so that two processes never wait for each other.
  const baselines = await writer.subjects.lock(subjectsOf(readings, sessions));
  const answered = await findAnswered(writer, readings, sessions);
  const changed = { sessions: new Map(), baselines: new Map() };
  const progress: Progress = { sessions, baselines, answered, changed, stored: [] };
  const outcomes = readings.map((reading) => advanceReading(progress, reading));
  await writer.sessions.save(changed.sessions, nowMs);
  await writer.subjects.save(changed.baselines);
  await writer.subjects.unlay([...baselines.keys()].filter((id) => baselines.get(id) === undefined));
  await writer.readings.append(progress.stored);
  return outcomes;
}

function advanceReading(progress: Progress, submitted: Submitted): Outcome {
  const { sessions, answered, changed, stored } = progress;
  const { submission, timestampMs, digest } = submitted;
  const key = keyOf(submitted);
  const before = answered.get(key);
  if (before) return { answer: before };
  const { session_id: sessionId, subject_id: subjectId, ...signals } = submission;
  const reading = { ...signals, atMs: timestampMs, ...(subjectId !== undefined && { subjectId }) };
  const { incarnation, session } = sessionOf(sessions, sessionId);
  if (isOtherSubject(session, reading)) return { refusal: subjectMismatch() };
  const step = advanceSession(session, reading, baselineOf(progress, session, reading));
  const advanced = { incarnation, session: step.session };
  sessions.set(sessionId, advanced);
  changed.sessions.set(sessionId, advanced);
  rememberBaseline(progress, step);
  stored.push({ sessionId, incarnation, timestampMs, digest, point: step.point, answer: step.answer });
  answered.set(key, step.answer);
  return { answer: step.answer };
}

/** Every subject of the group, whether a reading names it or its session is bound to it. */
function subjectsOf(readings: readonly Submitted[], sessions: ReadonlyMap<string, StoredSession>): string[] {
  const named = readings.map(({ submission }) => submission.subject_id);
  const bound = [...sessions.values()].map(({ session }) => session?.subjectId);
  return [...new Set([...named, ...bound].filter((id) => id !== undefined))];
}

/** The subject's; while there is none, the session's own. */
function baselineOf({ baselines }: Progress, session: Session | undefined, reading: Reading): Baseline | undefined {
  const subjectId = session?.subjectId ?? reading.subjectId;
  return (subjectId === undefined ? undefined : baselines.get(subjectId)) ?? session?.baseline;
}

function rememberBaseline({ baselines, changed }: Progress, { session, baseline }: Step): void {
  if (session.subjectId === undefined) return;
  baselines.set(session.subjectId, baseline);
  changed.baselines.set(session.subjectId, baseline);
}

/** Only a reading that is not newer than its session can have been stored before. */
async function findAnswered(
  writer: Writer,
  readings: readonly Submitted[],
  sessions: ReadonlyMap<string, StoredSession>,
): Promise<Map<string, Answer>> {
  const candidates = readings.flatMap(({ submission, timestampMs, digest }) => {
    const { incarnation, session } = sessionOf(sessions, submission.session_id);
    const isNewer = session === undefined || timestampMs > session.latest.timestampMs;
    return isNewer ? [] : [{ sessionId: submission.session_id, incarnation, timestampMs, digest }];
  });
  const found = await writer.readings.find(candidates);
  return new Map(found.map(({ sessionId, digest, answer }) => [`${sessionId} ${digest}`, answer]));
}

/** Every session of the group has been locked. */
function sessionOf(sessions: ReadonlyMap<string, StoredSession>, sessionId: string): StoredSession {
  const stored = sessions.get(sessionId);
  if (!stored) throw new Error('a session of the group was not locked');
  return stored;
}

/** The digest covers the timestamp; ids hold no spaces. */
function keyOf({ submission, digest }: Submitted): string {
  return `${submission.session_id} ${digest}`;
}

function subjectMismatch(): ProblemError {
  return new ProblemError('subject_mismatch', { faults: [fault('subject_mismatch', { pointer: '/subject_id' })] });
}
