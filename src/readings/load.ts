import type { Subject } from '../../packages/score/rows/person.js';
import type { ComputedState, Session } from '../../packages/score/rows/session.js';
import { findNewestReadingTime } from '../../packages/score/session.js';
import { createErasedIdTable, type ErasedId, type ErasedRow, readTimes } from '../store/erased-ids.js';
import { createFactTable } from '../store/facts.js';
import { createReadingTable } from '../store/readings.js';
import { runAll } from '../store/rows.js';
import type { ReadScope, WriteScope } from '../store/scope.js';
import { createSessionWriter, findSessions, type LockedSessionRow, type StoredSession } from '../store/sessions.js';
import { createSubjectWriter, type LockedSubjectRow } from '../store/subjects.js';
import { createWebhookTable, type EpochRow } from '../store/webhooks.js';
import { beginProgress, requireSession, toReadingKey } from './advance.js';
import { findOnlySession } from './person.js';
import type { PreparedReading } from './prepared-reading.js';
import type { GroupProgress, SampledReading } from './progress.js';
import { findSamples } from './samples.js';

const minuteMs = 60_000;

/** What is stored for the readings of one account in a group, before the first of them is processed. */
export interface LoadedAccount {
  readonly progress: GroupProgress;
  /** The people, by id. Undefined for a person of whom nothing is stored. */
  readonly people: ReadonlyMap<string, Subject | undefined>;
  /** The sessions without a subject, by id. Undefined for a new session. */
  readonly unbound: ReadonlyMap<string, Session | undefined>;
  /** The webhook epoch of the account. Undefined if it has no webhook. */
  readonly epoch: number | undefined;
  /** True if the account has alert rules. */
  readonly hasRules: boolean;
}

/** Locks the sessions and people of the readings, then reads what else their processing needs. */
export async function loadAccount(
  scope: WriteScope,
  readings: readonly PreparedReading[],
  nowMs: number,
  digestId: (id: ErasedId) => readonly string[],
): Promise<LoadedAccount> {
  const { sessions, people, erasedAtMs, ...webhooks } = await lockAll(scope, readings, nowMs, digestId);
  const alreadyStored = await findAlreadyStored(scope, readings, sessions);
  const others = await findOthers(scope, readings, sessions, people);
  const sampled = readings.filter((it): it is SampledReading => it.sample !== undefined);
  const samples = sampled.length > 0 ? await findSamples(scope, sampled, sessions) : undefined;
  const facts = await findFacts(scope, readings, people);
  const found = { sessions, subjects: people, others, alreadyStored, samples, facts, erasedAtMs, nowMs };
  return { progress: beginProgress(found), people, unbound: findUnbound(sessions), ...webhooks };
}

/**
 * Locks the sessions, then their subjects, then reads their erasures. All processes use this order to prevent deadlocks, and
 * so that a concurrent erasure is found. One round trip does so for the rows that exist, of the sessions and the subjects
 * that the readings name.
 */
async function lockAll(
  scope: WriteScope,
  readings: readonly PreparedReading[],
  nowMs: number,
  digestId: (id: ErasedId) => readonly string[],
) {
  const sessionIds = [...new Set(readings.map((it) => it.sessionId))];
  const named = listSubjects(readings, new Map());
  const digests = listErasable(readings, named).flatMap(digestId);
  const [lockedSessions = [], epochs = [], ...others] = await runAll(scope, [
    createSessionWriter(scope).toLock(sessionIds),
    createWebhookTable(scope).selectEpoch(),
    ...(named.length > 0 ? [createSubjectWriter(scope).toLock(named)] : []),
    ...(digests.length > 0 ? [createErasedIdTable(scope).toFind(digests)] : []),
  ]);
  const lockedSubjects = (named.length > 0 ? others.shift() : []) as LockedSubjectRow[];
  const sessions = await createSessionWriter(scope).lock(sessionIds, nowMs, lockedSessions as LockedSessionRow[]);
  const ids = listSubjects(readings, sessions);
  const people: GroupProgress['subjects'] =
    ids.length > 0 ? await createSubjectWriter(scope).lock(ids, lockedSubjects) : new Map();
  const areLocked = lockedSessions.length === sessionIds.length && lockedSubjects.length === ids.length;
  const [erased = []] = others as [ErasedRow[]?];
  const erasedAtMs = areLocked
    ? createErasedAt(erased.length === 0 ? new Map() : readTimes(erased), digestId)
    : await findErased(scope, readings, ids, digestId);
  const [row] = epochs as EpochRow[];
  return { sessions, people, erasedAtMs, epoch: row?.webhook_epoch, hasRules: row?.has_rules === 1 };
}

/** Returns the ids of the subjects that the readings contain or their sessions are bound to. */
export function listSubjects(
  readings: readonly PreparedReading[],
  sessions: ReadonlyMap<string, Pick<StoredSession, 'session'>>,
): string[] {
  const named = readings.map(({ subjectId }) => subjectId);
  const bound = [...sessions.values()].map(({ session }) => session?.subjectId);
  return [...new Set([...named, ...bound].filter((id) => id !== undefined))];
}

/**
 * Returns the responses to readings without a sample that are already stored. Skips readings that are newer than their
 * session, because they cannot be stored yet.
 */
async function findAlreadyStored(
  scope: WriteScope,
  readings: readonly PreparedReading[],
  sessions: GroupProgress['sessions'],
): Promise<Map<string, ComputedState>> {
  const submittedKeys = new Map<string, string>();
  const candidates = readings.flatMap((reading) => {
    const { sessionId, timestampMs, digest, sample, earlierDigests = [] } = reading;
    if (sample) return [];
    const { incarnation, session } = requireSession(sessions, sessionId);
    const newestMs = findNewestReadingTime(session);
    if (newestMs === undefined || timestampMs > newestMs) return [];
    for (const earlier of earlierDigests)
      submittedKeys.set(toReadingKey({ sessionId, digest: earlier }), toReadingKey(reading));
    return [digest, ...earlierDigests].map((it) => ({ sessionId, incarnation, timestampMs, digest: it }));
  });
  const found = await createReadingTable(scope).find(candidates);
  return new Map(
    found.map((reading) => [submittedKeys.get(toReadingKey(reading)) ?? toReadingKey(reading), reading.computed]),
  );
}

/** Returns the sessions outside the group whose signals the readings of other sessions of their people need. */
async function findOthers(
  scope: WriteScope,
  readings: readonly PreparedReading[],
  sessions: ReadonlyMap<string, StoredSession>,
  people: LoadedAccount['people'],
): Promise<Map<string, Session>> {
  const needed = readings.map((reading) => {
    const subjectId = sessions.get(reading.sessionId)?.session?.subjectId ?? reading.subjectId;
    return subjectId === undefined ? undefined : findOnlySession(people.get(subjectId), reading);
  });
  const all = new Set(needed.filter((id): id is string => id !== undefined && !sessions.has(id)));
  // The first reading of a device on a day may continue the session of the day before.
  for (const { sessionId, device } of readings)
    if (device?.before !== undefined && !sessions.has(device.before) && !sessions.get(sessionId)?.session)
      all.add(device.before);
  const ids = [...all];
  return ids.length > 0 ? findSessions(scope, ids) : new Map();
}

/**
 * Returns a function that returns the time of the newest erasure of a session or subject, 0 if there is none. Runs after
 * the locks, so that it finds a concurrent erasure. Readings without a token, a live turn and a device require no query.
 */
export async function findErased(
  scope: ReadScope,
  readings: readonly PreparedReading[],
  subjectIds: readonly string[],
  digestId: (id: ErasedId) => readonly string[],
): Promise<GroupProgress['erasedAtMs']> {
  const digests = listErasable(readings, subjectIds).flatMap(digestId);
  if (digests.length === 0) return () => 0;
  return createErasedAt(await createErasedIdTable(scope).find(digests), digestId);
}

/** Returns the ids whose erasure matters to a reading. */
function listErasable(readings: readonly PreparedReading[], subjectIds: readonly string[]): ErasedId[] {
  const checked = readings.filter(({ grant, isLiveTurn, device }) => grant ?? isLiveTurn ?? device);
  if (checked.length === 0) return [];
  const sessions = [...new Set(checked.map(({ sessionId }) => sessionId))];
  return [
    ...sessions.map((id) => ({ kind: 'session', id }) as const),
    ...subjectIds.map((id) => ({ kind: 'subject', id }) as const),
  ];
}

function createErasedAt(
  found: ReadonlyMap<string, number>,
  digestId: (id: ErasedId) => readonly string[],
): GroupProgress['erasedAtMs'] {
  if (found.size === 0) return () => 0;
  return (erased) => Math.max(0, ...digestId(erased).map((digest) => found.get(digest) ?? 0));
}

/** Returns the facts that may cover the readings, by person. People without facts at these times require no query. */
async function findFacts(
  scope: ReadScope,
  readings: readonly PreparedReading[],
  people: LoadedAccount['people'],
): Promise<GroupProgress['facts']> {
  const spans = [...people].flatMap(([id, subject]) => (subject?.facts ? [{ id, ...subject.facts }] : []));
  if (spans.length === 0) return undefined;
  const times = readings.map(({ timestampMs }) => timestampMs);
  const [fromMs, toMs] = [Math.min(...times), Math.max(...times) + minuteMs];
  const ids = spans.filter((it) => it.fromMs < toMs && it.untilMs > fromMs).map(({ id }) => id);
  return ids.length === 0 ? undefined : createFactTable(scope).findByPerson(ids, fromMs, toMs);
}

/** Returns the sessions without a subject, by id. The value of a new session is undefined. */
function findUnbound(sessions: ReadonlyMap<string, StoredSession>): LoadedAccount['unbound'] {
  const all = [...sessions].map(([id, { session }]) => [id, session] as const);
  return new Map(all.filter(([, session]) => session?.subjectId === undefined));
}
