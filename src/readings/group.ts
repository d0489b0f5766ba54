import type { Grant } from '../contract/grant.js';
import { ProblemError } from '../contract/problem.js';
import type { LoadSums } from '../limits/load-sums.js';
import type { AdmitSession } from '../limits/new-session-limit.js';
import { runInSharedSpan, traceOrigin, type TraceOrigin } from '../observe/in-span.js';
import type { Subject } from '../../packages/score/rows/person.js';
import type { ComputedState, Session } from '../../packages/score/rows/session.js';
import type { SessionEvent } from '../../packages/score/states.js';
import { type DigestId, type ErasedId, createErasedIdTable } from '../store/erased-ids.js';
import { createGroupCommit } from '../store/group-commit.js';
import { createOutboxTable } from '../store/outbox.js';
import { bindRows, type BoundSession } from '../store/person-rows.js';
import { createReadingTable } from '../store/readings.js';
import { isTransient } from '../store/retry.js';
import { runAll, runStatements } from '../store/rows.js';
import type { ReadScope, WriteScope } from '../store/scope.js';
import {
  findSessions,
  createSessionReader,
  createSessionWriter,
  type LockedSessionRow,
  type StoredSession,
} from '../store/sessions.js';
import type { Store } from '../store/store.js';
import { createPositionTable } from '../store/stream-positions.js';
import { createSubjectReader, createSubjectWriter, type LockedSubjectRow } from '../store/subjects.js';
import { createTriggerWriter, type TriggersBySubject } from '../store/triggers.js';
import { createWebhookTable, type EpochRow } from '../store/webhooks.js';
import { restrictState } from '../view/grant.js';
import { planAlerts } from './alerts.js';
import {
  type ProcessedReading,
  processReading,
  beginProgress,
  completeStates,
  type ComputedStates,
  findAlreadyStored,
  listSubjects,
  type GroupProgress,
  listTriggerSubjects,
  toStored,
} from './advance.js';
import type { PreparedReading } from './intake.js';
import {
  applySamples,
  findSamples,
  type SampledReading,
  type SampleOutcome,
  type SampleRows,
  toSampleOutcome,
} from './samples.js';
import { findOnlySession, findPerson } from './person.js';
import { listActivations, updateTriggers } from './topics.js';

/*
 * The story of a reading, in the order in which its files run:
 * 1. `http/app.ts` lists the steps of a request. `http/body.ts` and `http/validate.ts` read and check the body.
 * 2. `intake.ts`, on the HTTP thread: limits, consent to read text, topics and sentiment of text, the digest of a resend.
 * 3. `operations/ingest.ts` hands the prepared reading to `commit` below. Readings of all callers wait for one group.
 * 4. One transaction per group, here: lock sessions, then people. Find resent and erased readings.
 * 5. `advance.ts`, pure: consent (`consent.ts`), then evidence, score and state (`score/session.ts`), then events.
 * 6. `topics.ts`, only if a turn names topics: who is stressed by what. `alerts.ts`, only with alert rules: when they are due.
 * 7. One round trip writes sessions, people, triggers and the events for webhooks, and locks the positions. Another one
 *    writes the readings and commits.
 * 8. After the commit: streams and the delivery worker wake up, and each caller gets its state.
 */

/**
 * Maximum number of readings in a transaction. With three topics per reading, the transaction writes about 500 trigger
 * rows.
 */
const groupMax = 160;
const queueMax = 4096;
/** Number of waiting readings from which a second group starts. A smaller group does not justify a transaction. */
const secondFrom = 16;

/**
 * The state of the session after a stored reading, or the error of a rejected reading. `sample` says what happened to a
 * reading with a sample. The error `sample_too_old` concerns only such a reading.
 */
export type Outcome = (ComputedState & { readonly sample?: SampleOutcome }) | ProblemError;

/**
 * Stores readings of one caller. Resolves with one outcome per reading, in order, when the stored readings are durable.
 * A rejected reading does not affect the others.
 */
export type Commit = (caller: Grant, readings: readonly PreparedReading[]) => Promise<Outcome[]>;

export interface ReadingWriterParts {
  readonly store: Store;
  /** True if the database runs transactions concurrently. */
  readonly hasConcurrentWriters?: boolean;
  readonly admitSession: AdmitSession;
  readonly now: () => number;
  readonly digestId: DigestId;
  /** Counts the load of each group. Absent: not counted. */
  readonly load?: LoadSums;
  /** Called after a commit that added events to the outbox. */
  readonly onEvents: () => void;
  /** Called with the readings of each committed group, and the subject of the session of each reading. */
  readonly onCommitted: (group: readonly PreparedReading[], subjectIds: Advanced['subjectIds']) => void;
}

export type ReadingWriter = ReturnType<typeof createReadingWriter>;

interface Submitted {
  readonly reading: PreparedReading;
  readonly origin: TraceOrigin;
}

/** Writes the readings of all callers in groups. */
export function createReadingWriter(parts: ReadingWriterParts) {
  const { admitSession, hasConcurrentWriters } = parts;
  const queue = createGroupCommit<Submitted, Outcome>({
    commit: (group) => commitGroup(parts, group),
    isOutage: isTransient,
    groupMax,
    queueMax,
    secondFrom: hasConcurrentWriters ? secondFrom : undefined,
    // Readings of one session are applied in the order in which they were submitted.
    orderKeyOf: ({ reading }) => `${reading.accountId} ${reading.sessionId}`,
    accountOf: ({ reading }) => reading.accountId,
  });
  const commit: Commit = async (caller, readings) => {
    // All readings are admitted before the first is submitted. Otherwise a reading could overtake an earlier one.
    const admissions = readings.map(({ sessionId, isBackfill }) =>
      isBackfill ? undefined : admitSession(caller, sessionId).catch(toProblem),
    );
    const refusals = await Promise.all(admissions);
    const origin = traceOrigin();
    const store = (reading: PreparedReading): Promise<Outcome> => queue.submit({ reading, origin }).catch(toProblem);
    return Promise.all(readings.map((reading, index) => refusals[index] ?? store(reading)));
  };
  return {
    commit,
    /** Returns true if `commit` would store a reading and use its text now. Rejects for a new session above the limit. */
    async mayStore(caller: Grant, reading: PreparedReading): Promise<boolean> {
      await admitSession(caller, reading.sessionId);
      return isAllowed(parts, reading);
    },
    /** Number of queued readings. */
    waiting: queue.waiting,
    /** Rejects new readings. Resolves when the readings in progress are settled. */
    close: queue.close,
  };
}

function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  return new ProblemError(isTransient(error) ? 'service_unavailable' : 'internal_error', { cause: error });
}

/** Returns true if a group of this reading alone would accept it with its text. Locks and writes nothing. */
async function isAllowed({ store, now, digestId }: ReadingWriterParts, reading: PreparedReading): Promise<boolean> {
  const { accountId, sessionId } = reading;
  const scope = store.read(accountId);
  const found = await createSessionReader(scope).find(sessionId);
  const sessions = new Map([[sessionId, found ?? { incarnation: '', session: undefined }]]);
  const subjects = noSubjects();
  for (const id of listSubjects([reading], sessions))
    subjects.set(id, await createSubjectReader(scope).findConsenting(id));
  const erasedAtMs = await findErased(scope, [reading], [...subjects.keys()], (it) => digestId(accountId, it));
  const progress = beginProgress({ sessions, subjects, alreadyStored: new Map(), erasedAtMs, nowMs: now() });
  const processed = processReading(progress, reading);
  return processed.kind === 'taken' && !processed.step.computed.dropped?.includes('user_message');
}

async function commitGroup(
  { store, now, digestId, onEvents, onCommitted, load }: ReadingWriterParts,
  group: readonly Submitted[],
): Promise<Outcome[]> {
  const size = { 'ingest.group_size': group.length };
  const origins = group.map(({ origin }) => origin);
  const readings = group.map(({ reading }) => reading);
  const endLoad = load?.begin(...readings.map(({ accountId }) => accountId));
  const { outcomes, subjectIds, hasEvents } = await runInSharedSpan('ingest group', size, origins, () =>
    processGroup(store, readings, now(), digestId),
  ).finally(() => endLoad?.(1));
  onCommitted(readings, subjectIds);
  if (hasEvents) onEvents();
  return outcomes;
}

/** Result of one transaction. */
interface Advanced {
  /** One outcome per reading, in order. */
  readonly outcomes: Outcome[];
  /** The subject of each reading's session, in order. Undefined for a session without a subject. */
  readonly subjectIds: ReadonlyArray<string | undefined>;
  /** True if the outbox has new events. */
  readonly hasEvents: boolean;
}

/**
 * Processes a group of readings in one transaction. Resolves after the commit. If the function rejects, nothing is
 * stored.
 */
export async function processGroup(
  store: Store,
  group: readonly PreparedReading[],
  nowMs: number,
  digestId: DigestId,
): Promise<Advanced> {
  return store.transact(async (scopeOf) => {
    const results = new Map<PreparedReading, readonly [Outcome | undefined, string | undefined]>();
    const saves = [];
    let hasEvents = false;
    // Sorted, so that all processes lock rows in the same order.
    for (const accountId of [...new Set(group.map((it) => it.accountId))].sort()) {
      const readings = group.filter((it) => it.accountId === accountId);
      const advanced = await advanceAccount(scopeOf(accountId), readings, nowMs, (it) => digestId(accountId, it));
      for (const [index, reading] of readings.entries())
        results.set(reading, [advanced.outcomes[index], advanced.subjectIds[index]]);
      hasEvents ||= advanced.hasEvents;
      saves.push(advanced.save);
    }
    const outcomes = group.map((reading) => results.get(reading)?.[0] as Outcome);
    const subjectIds = group.map((reading) => results.get(reading)?.[1]);
    // Other processes with readings of these accounts wait for the positions until the commit.
    for (const [index, save] of saves.entries()) await save(index === saves.length - 1);
    return { outcomes, subjectIds, hasEvents };
  });
}

/**
 * Processes the readings that one account has in a group. `save` writes them. With `isLast`, the transaction then commits.
 */
async function advanceAccount(
  scope: WriteScope,
  readings: readonly PreparedReading[],
  nowMs: number,
  digestId: (id: ErasedId) => readonly string[],
) {
  const { sessions, subjects, webhookEpoch, hasRules } = await lockAll(scope, readings, nowMs);
  const alreadyStored = await findAlreadyStored(scope, readings, sessions);
  const others = await findOthers(scope, readings, sessions, subjects);
  const unbound = withoutSubject(sessions);
  const erasedAtMs = await findErased(scope, readings, [...subjects.keys()], digestId);
  const sampled = readings.filter((it): it is SampledReading => it.sample !== undefined);
  const samples = sampled.length > 0 ? await findSamples(scope, sampled, sessions) : undefined;
  const progress = beginProgress({ sessions, subjects, others, alreadyStored, samples, erasedAtMs, nowMs });
  const advances = readings.map((reading) => processReading(progress, reading));
  const sighted = listTriggerSubjects(advances);
  const known: TriggersBySubject = sighted.length > 0 ? await createTriggerWriter(scope).find(sighted) : new Map();
  const { computed, triggers } =
    sighted.length === 0 ? completeStates(progress, advances) : updateTriggers(progress, advances, known);
  const first = [...computed].map(([taken, state]) => toStored(taken, state));
  const rows = samples && applySamples(advances, [...computed.keys()], first);
  const stored = rows?.stored ?? first;
  const unused = [...sessions].flatMap(([id, it]) => (it.session ? [] : [id]));
  if (unused.length > 0) await createSessionWriter(scope).removePlaceholders(unused);
  const unknown = [...subjects.keys()].filter((id) => !progress.subjects.get(id));
  if (unknown.length > 0) await createSubjectWriter(scope).removePlaceholders(unknown);
  const bound = newlyBound(unbound, progress.changedSessions);
  if (bound.length > 0) await bindRows(scope, bound, webhookEpoch !== undefined);
  if (hasRules) planAlerts(progress, advances, { epoch: webhookEpoch ?? 0, before: subjects, bound });
  const activations = webhookEpoch === undefined ? [] : listActivations(known, triggers, nowMs);
  const isWanted = activations.length > 0 && (await createWebhookTable(scope).isReceived('trigger_active'));
  const changes = webhookEpoch === undefined ? [] : collectEvents(progress, advances);
  const events = isWanted ? [...changes, ...activations] : changes;
  // Two round trips: all writes before the lock of the positions, then the readings with the commit.
  const save = async (isLast: boolean) => {
    const count = stored.length + (rows?.bodies ?? 0);
    const positions = await createPositionTable(scope).take(count, nowMs, [
      ...createSessionWriter(scope).toSave(progress.changedSessions, nowMs),
      ...(progress.changedSubjects.size > 0 ? createSubjectWriter(scope).toSave(progress.changedSubjects) : []),
      ...(triggers.size > 0 ? createTriggerWriter(scope).toSave(triggers) : []),
      ...(events.length > 0 ? createOutboxTable(scope).toAppend(events, webhookEpoch ?? 0, nowMs) : []),
    ]);
    const readingRows = createReadingTable(scope).toAppend(stored, positions.first);
    const sampleRows = rows?.toSave(scope, positions.first) ?? [];
    await runStatements(scope, [...readingRows, ...sampleRows, ...positions.toSave], isLast);
  };
  const subjectIds = readings.map(({ sessionId }) => progress.sessions.get(sessionId)?.session?.subjectId);
  const outcomes = advances.map((it, index) => {
    const outcome = toOutcome(it, computed, rows);
    if (outcome instanceof ProblemError) return outcome;
    const state = restrictState(outcome, readings[index]?.grant, subjectIds[index]);
    return readings[index]?.sample ? { ...state, sample: toSampleOutcome(it) } : state;
  });
  return { outcomes, subjectIds, hasEvents: events.length > 0, save };
}

const noSubjects = (): Map<string, Subject | undefined> => new Map();

/**
 * Locks the sessions, then their subjects. All processes use this order to prevent deadlocks. One round trip locks the
 * rows that exist, of the sessions and the subjects that the readings name.
 */
async function lockAll(scope: WriteScope, readings: readonly PreparedReading[], nowMs: number) {
  const sessionIds = [...new Set(readings.map((it) => it.sessionId))];
  const named = listSubjects(readings, new Map());
  const [lockedSessions = [], epochs = [], lockedSubjects = []] = await runAll(scope, [
    createSessionWriter(scope).toLock(sessionIds),
    createWebhookTable(scope).selectEpoch(),
    ...(named.length > 0 ? [createSubjectWriter(scope).toLock(named)] : []),
  ]);
  const sessions = await createSessionWriter(scope).lock(sessionIds, nowMs, lockedSessions as LockedSessionRow[]);
  const ids = listSubjects(readings, sessions);
  const locked = lockedSubjects as LockedSubjectRow[];
  const subjects = ids.length > 0 ? await createSubjectWriter(scope).lock(ids, locked) : noSubjects();
  const [epoch] = epochs as EpochRow[];
  return { sessions, subjects, webhookEpoch: epoch?.webhook_epoch, hasRules: epoch?.has_rules === 1 };
}

/** Returns the sessions outside the group whose signals the readings of other sessions of their people need. */
async function findOthers(
  scope: WriteScope,
  readings: readonly PreparedReading[],
  sessions: ReadonlyMap<string, StoredSession>,
  subjects: ReadonlyMap<string, Subject | undefined>,
): Promise<Map<string, Session>> {
  const needed = readings.map((reading) => {
    const { subject } = findPerson(subjects, sessions.get(reading.sessionId)?.session, reading) ?? {};
    return findOnlySession(subject, reading);
  });
  const ids = [...new Set(needed.filter((id): id is string => id !== undefined && !sessions.has(id)))];
  return ids.length > 0 ? findSessions(scope, ids) : new Map();
}

/**
 * Returns a function that returns the time of the newest erasure of a session or subject, 0 if there is none. Runs after
 * the locks, so that it finds a concurrent erasure. Readings without a token and without a live turn require no query.
 */
async function findErased(
  scope: ReadScope,
  readings: readonly PreparedReading[],
  subjectIds: readonly string[],
  digestId: (id: ErasedId) => readonly string[],
): Promise<GroupProgress['erasedAtMs']> {
  const checked = readings.filter(({ grant, isLiveTurn }) => grant ?? isLiveTurn);
  if (checked.length === 0) return () => 0;
  const sessions = [...new Set(checked.map(({ sessionId }) => sessionId))];
  const ids = [
    ...sessions.map((id) => ({ kind: 'session', id }) as const),
    ...subjectIds.map((id) => ({ kind: 'subject', id }) as const),
  ];
  const found = await createErasedIdTable(scope).find(ids.flatMap(digestId));
  if (found.size === 0) return () => 0;
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
  changed: GroupProgress['changedSessions'],
): BoundSession[] {
  return [...changed].flatMap(([sessionId, { incarnation, session }]) => {
    const { subjectId } = session;
    if (subjectId === undefined || !unbound.has(sessionId)) return [];
    return [{ sessionId, incarnation, subjectId, isNew: unbound.get(sessionId) === undefined }];
  });
}

/** Returns the outcome of a reading. A duplicate within the group has the outcome of the accepted reading. */
function toOutcome(advance: ProcessedReading, computed: ComputedStates, rows: SampleRows | undefined): Outcome {
  if (advance.kind === 'refused') return advance.refusal;
  if (advance.kind === 'stored') return advance.computed;
  if (advance.kind === 'replaced' || advance.kind === 'kept') return rows?.stateOf(advance.of) as ComputedState;
  return computed.get(advance.kind === 'same' ? advance.as : advance) as ComputedState;
}

/** Returns the state change events. A later reading of the group may have named the subject of their session. */
function collectEvents({ changedSessions }: GroupProgress, advances: readonly ProcessedReading[]): SessionEvent[] {
  return advances
    .flatMap((advance) => (advance.kind === 'taken' && advance.event) || [])
    .map((event) => ({ ...event, subjectId: changedSessions.get(event.sessionId)?.session.subjectId }));
}
