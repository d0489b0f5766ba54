import type { ComputedState, Session } from '../domain/session.js';
import type { ProblemError } from '../problem.js';
import type { BoundSession } from '../store/name-subjects.js';
import type { DigestId, ErasedId } from '../store/erased-ids.js';
import type { StoredSession } from '../store/sessions.js';
import type { Store, Writer } from '../store/store.js';
import {
  advanceReading,
  type Advance,
  beginProgress,
  findAlreadyStored,
  type Progress,
  subjectsOf,
} from './advance-reading.js';
import { rememberTopics, sightedSubjects } from './remember-topics.js';
import type { PreparedReading } from './prepared-reading.js';

/** Outcome of one reading. A rejection does not affect the other readings of the group. */
export type ReadingOutcome =
  { readonly computed: ComputedState; readonly hasEvents: boolean } | { readonly refusal: ProblemError };

/**
 * Processes a group of readings in one transaction. Resolves after the commit, with one outcome per reading, in order.
 * If the function rejects, nothing is stored.
 */
export async function advanceGroup(
  store: Store,
  group: readonly PreparedReading[],
  nowMs: number,
  digestId: DigestId,
): Promise<ReadingOutcome[]> {
  return store.transact(async (writerOf) => {
    const outcomes = new Map<PreparedReading, ReadingOutcome>();
    // Sorted, so that all processes lock rows in the same order.
    for (const accountId of [...new Set(group.map((it) => it.accountId))].sort()) {
      const readings = group.filter((it) => it.accountId === accountId);
      const found = await advanceAccount(writerOf(accountId), readings, nowMs, (it) => digestId(accountId, it));
      for (const [index, reading] of readings.entries()) outcomes.set(reading, found[index] as ReadingOutcome);
    }
    return group.map((reading) => outcomes.get(reading) as ReadingOutcome);
  });
}

/** Processes the readings that one account has in a group. */
async function advanceAccount(
  writer: Writer,
  readings: readonly PreparedReading[],
  nowMs: number,
  digestId: (id: ErasedId) => readonly string[],
): Promise<ReadingOutcome[]> {
  const { sessions, subjects, webhookEpoch } = await lockAll(writer, readings, nowMs);
  const alreadyStored = await findAlreadyStored(writer.readings, readings, sessions);
  const unbound = withoutSubject(sessions);
  const erasedAtMs = await findErased(writer, readings, [...subjects.keys()], digestId);
  const progress = beginProgress(sessions, subjects, alreadyStored, erasedAtMs, nowMs);
  const advances = readings.map((reading) => advanceReading(progress, reading));
  const triggers = await writer.triggers.find(sightedSubjects(advances));
  const remembered = rememberTopics(progress, advances, triggers);
  // Positions are taken last, because other processes with readings of this account wait for them until the commit.
  const positions = await writer.positions.take(remembered.stored.length, nowMs);
  // Sends all writes in one round trip, because this transaction limits the throughput of the service.
  await writer.run([
    ...writer.sessions.toSave(progress.changedSessions, nowMs),
    ...writer.subjects.toSave(progress.changedSubjects),
    ...writer.triggers.toSave(remembered.triggers),
    ...writer.readings.toAppend(remembered.stored, positions.first),
    ...positions.toSave,
  ]);
  await writer.sessions.removePlaceholders([...sessions].flatMap(([id, it]) => (it.session ? [] : [id])));
  await writer.subjects.removePlaceholders([...subjects.keys()].filter((id) => !progress.subjects.get(id)));
  if (webhookEpoch !== undefined) await writer.nameSubjects(newlyBound(unbound, progress.changedSessions));
  const hasEvents = webhookEpoch !== undefined && (await appendEvents(writer, advances, webhookEpoch, nowMs));
  return advances.map((advance, index) => toOutcome(advance, remembered.computedStates[index], hasEvents));
}

/** Locks the sessions, then their subjects. All processes use this order to prevent deadlocks. */
async function lockAll(writer: Writer, readings: readonly PreparedReading[], nowMs: number) {
  const sessions = await writer.sessions.lock([...new Set(readings.map((it) => it.sessionId))], nowMs);
  const webhookEpoch = await writer.webhooks.epoch();
  const subjects = await writer.subjects.lock(subjectsOf(readings, sessions));
  return { sessions, subjects, webhookEpoch };
}

/**
 * Returns a function that returns the time of the newest erasure of a session or subject, 0 if there is none. Runs after
 * the locks, so that it finds a concurrent erasure. Readings without a token require no query.
 */
async function findErased(
  { erasedIds }: Writer,
  readings: readonly PreparedReading[],
  subjectIds: readonly string[],
  digestId: (id: ErasedId) => readonly string[],
): Promise<Progress['erasedAtMs']> {
  const withToken = readings.filter(({ grant }) => grant);
  if (withToken.length === 0) return () => 0;
  const sessions = [...new Set(withToken.map(({ sessionId }) => sessionId))];
  const ids = [
    ...sessions.map((id) => ({ kind: 'session', id }) as const),
    ...subjectIds.map((id) => ({ kind: 'subject', id }) as const),
  ];
  const found = await erasedIds.find(ids.flatMap(digestId));
  return (erased) => Math.max(0, ...digestId(erased).map((digest) => found.get(digest) ?? 0));
}

/** Returns the sessions without a subject, by id. The value of a new session is undefined. */
function withoutSubject(sessions: ReadonlyMap<string, StoredSession>): Map<string, Session | undefined> {
  const all = [...sessions].map(([id, { session }]) => [id, session] as const);
  return new Map(all.filter(([, session]) => session?.subjectId === undefined));
}

/** Returns the sessions that this group binds to a subject. */
function newlyBound(
  unbound: ReadonlyMap<string, Session | undefined>,
  changed: ReadonlyMap<string, { readonly session: Session }>,
): BoundSession[] {
  return [...changed].flatMap(
    ([
      sessionId,
      {
        session: { subjectId },
      },
    ]) => {
      if (subjectId === undefined || !unbound.has(sessionId)) return [];
      return [{ sessionId, subjectId, isNew: unbound.get(sessionId) === undefined }];
    },
  );
}

/** Appends the state change events to the outbox. Returns true if there are any. */
async function appendEvents(
  writer: Writer,
  advances: readonly Advance[],
  epoch: number,
  nowMs: number,
): Promise<boolean> {
  const events = advances.flatMap((advance) => (advance.kind === 'taken' && advance.event) || []);
  if (events.length > 0) await writer.outbox.append(events, epoch, nowMs);
  return events.length > 0;
}

function toOutcome(advance: Advance, computed: ComputedState | undefined, hasEvents: boolean): ReadingOutcome {
  if (advance.kind === 'refused') return { refusal: advance.refusal };
  return { computed: computed as ComputedState, hasEvents };
}
