import type { ProblemError } from '../contract/problem.js';
import type { ComputedState } from '../../packages/score/rows/session.js';
import type { SessionEvent } from '../../packages/score/states.js';
import type { ErasedId } from '../store/erased-ids.js';
import { createOutboxTable, type OutboxEntry } from '../store/outbox.js';
import { bindRows, type BoundSession } from '../store/person-rows.js';
import { createReadingTable, type StoredReading } from '../store/readings.js';
import { runStatements, type Statement } from '../store/rows.js';
import type { WriteScope } from '../store/scope.js';
import { createSessionWriter } from '../store/sessions.js';
import { createPositionTable, positionsPerMs } from '../store/stream-positions.js';
import { createSubjectWriter } from '../store/subjects.js';
import { createTriggerWriter } from '../store/triggers.js';
import { createWebhookTable } from '../store/webhooks.js';
import { restrictState } from '../view/grant.js';
import { completeState, processReading } from './advance.js';
import { planAlerts } from './alerts.js';
import { type LoadedAccount, loadAccount } from './load.js';
import { processInOrder } from './order.js';
import type { PreparedReading } from './prepared-reading.js';
import type { AcceptedReading, CompletedGroup, GroupProgress, ProcessedReading } from './progress.js';
import { applySamples, keepSamples, type SampleOutcome, type SampleRows, toSampleOutcome } from './samples.js';
import { listActivations, namesTopics, updateTriggers } from './topics.js';

/**
 * The state of the session after a stored reading, or the error of a rejected reading. `sample` says what happened to a
 * reading with a sample. The error `sample_too_old` concerns only such a reading.
 */
export type Outcome = (ComputedState & { readonly sample?: SampleOutcome }) | ProblemError;

/** What the readings of an account in a group have caused. */
export interface AdvancedAccount {
  /** One outcome per reading, in order. */
  readonly outcomes: Outcome[];
  /** The subject of each reading's session, in order. Undefined for a session without a subject. */
  readonly subjectIds: ReadonlyArray<string | undefined>;
  /** True if the outbox gets events. */
  readonly hasEvents: boolean;
  /** Writes everything that has changed. With `isLast`, the transaction then commits. */
  readonly save: (isLast: boolean) => Promise<void>;
}

/**
 * Processes the readings that one account has in a group: loads what is stored, processes each reading, then collects what
 * follows from all of them. A step that no reading needs runs no query.
 */
export async function advanceAccount(
  scope: WriteScope,
  readings: readonly PreparedReading[],
  nowMs: number,
  digestId: (id: ErasedId) => readonly string[],
): Promise<AdvancedAccount> {
  const loaded = await loadAccount(scope, readings, nowMs, digestId);
  const { progress, epoch } = loaded;
  const [only] = readings;
  const alone = only && readings.length === 1 ? [processReading(progress, only)] : undefined;
  const { processed, scored } = alone ? { processed: alone, scored: alone } : processInOrder(progress, readings);
  const accepted = scored.filter((it) => it.kind === 'taken');
  const { computed, triggers, activations } = await followTopics(scope, loaded, accepted);
  const first = accepted.map((it) => toStored(it, computed.get(it) as ComputedState));
  const samples = progress.samples && applySamples(processed, accepted, first);
  await removePlaceholders(scope, loaded);
  const bound = findBound(loaded);
  if (bound.length > 0) await bindRows(scope, bound, epoch !== undefined);
  if (loaded.hasRules) planAlerts(progress, scored, { epoch: epoch ?? 0, before: loaded.people, bound });
  const events = epoch === undefined ? [] : [...listChanges(progress, accepted), ...activations];
  const subjectIds = readings.map(({ sessionId }) => progress.sessions.get(sessionId)?.session?.subjectId);
  const outcomes = readings.map((reading, index): Outcome => {
    const result = processed[index] as ProcessedReading;
    if (result.kind === 'refused') return result.refusal;
    const state = restrictState(findState(result, computed, samples), reading.grant, subjectIds[index]);
    return reading.sample ? { ...state, sample: toSampleOutcome(result) } : state;
  });
  const changes = { stored: samples?.stored ?? first, samples, triggers, events };
  return { outcomes, subjectIds, hasEvents: events.length > 0, save: (isLast) => save(scope, loaded, changes, isLast) };
}

interface FollowedTopics extends CompletedGroup {
  /** Events of the triggers that the group has made active, if a webhook receives them. */
  readonly activations: readonly OutboxEntry[];
}

/** Completes the states. Updates the triggers of the people whose turns mention topics. */
async function followTopics(
  scope: WriteScope,
  { progress, epoch }: LoadedAccount,
  accepted: readonly AcceptedReading[],
): Promise<FollowedTopics> {
  const people = listTriggerSubjects(accepted);
  if (people.length === 0) {
    const computed = new Map(accepted.map((it) => [it, completeState(progress, it, it.topics)]));
    return { computed, triggers: new Map(), activations: [] };
  }
  const known = await createTriggerWriter(scope).find(people);
  const updated = updateTriggers(progress, accepted, known);
  const activations = epoch === undefined ? [] : listActivations(known, updated.triggers, progress.nowMs);
  const isWanted = activations.length > 0 && (await createWebhookTable(scope).isReceived('trigger_active'));
  return { ...updated, activations: isWanted ? activations : [] };
}

/** Returns the subjects whose triggers the group may change. */
function listTriggerSubjects(accepted: readonly AcceptedReading[]): string[] {
  const subjectIds = new Set<string>();
  for (const { step, credit, calm, finished } of accepted)
    if ((credit ?? calm ?? finished.find((turn) => namesTopics(turn))) && step.session.subjectId !== undefined)
      subjectIds.add(step.session.subjectId);
  return [...subjectIds];
}

function toStored({ submitted, incarnation, step, event }: AcceptedReading, computed: ComputedState): StoredReading {
  const { sessionId, timestampMs, digest, isBackfill: isSilent = false } = submitted;
  const key = { sessionId, incarnation, timestampMs, digest };
  const samples = submitted.samples && keepSamples(submitted);
  const row = { ...key, point: step.point, stateChange: event?.payload, isSilent };
  return { ...row, computed: samples ? { ...computed, samples } : computed };
}

/** Removes the rows that were inserted to lock sessions and people of which nothing is stored. */
async function removePlaceholders(scope: WriteScope, { progress, people }: LoadedAccount): Promise<void> {
  const unused = [...progress.sessions].flatMap(([id, { session }]) => (session ? [] : [id]));
  if (unused.length > 0) await createSessionWriter(scope).removePlaceholders(unused);
  const unknown = [...people.keys()].filter((id) => !progress.subjects.get(id));
  if (unknown.length > 0) await createSubjectWriter(scope).removePlaceholders(unknown);
}

/** Returns the sessions that this group binds to a subject. */
function findBound({ progress, unbound }: LoadedAccount): BoundSession[] {
  return [...progress.changedSessions].flatMap(([sessionId, { incarnation, session }]) => {
    const { subjectId } = session;
    if (subjectId === undefined || !unbound.has(sessionId)) return [];
    return [{ sessionId, incarnation, subjectId, isNew: unbound.get(sessionId) === undefined }];
  });
}

/** Returns the state change events. A later reading of the group may have named the subject of their session. */
function listChanges({ changedSessions }: GroupProgress, accepted: readonly AcceptedReading[]): SessionEvent[] {
  return accepted
    .flatMap(({ event }) => event ?? [])
    .map((event) => ({ ...event, subjectId: changedSessions.get(event.sessionId)?.session.subjectId }));
}

/** Returns the state after a reading. A duplicate within the group has the state of the accepted reading. */
function findState(
  result: Exclude<ProcessedReading, { kind: 'refused' }>,
  computed: CompletedGroup['computed'],
  samples: SampleRows | undefined,
): ComputedState {
  if (result.kind === 'stored') return result.computed;
  if (result.kind === 'replaced' || result.kind === 'kept') return samples?.stateOf(result.of) as ComputedState;
  return computed.get(result.kind === 'same' ? result.as : result) as ComputedState;
}

interface Changes extends Pick<CompletedGroup, 'triggers'> {
  readonly stored: readonly StoredReading[];
  /** Absent if no reading has a sample. */
  readonly samples: SampleRows | undefined;
  readonly events: readonly OutboxEntry[];
}

/**
 * Writes the changes, and commits if `isLast`. MySQL gets them in one round trip, or in two if a reading has a sample or is
 * backfilled: all writes before the lock of the positions, then the readings.
 */
async function save(
  scope: WriteScope,
  { progress: { changedSessions, changedSubjects, nowMs }, epoch = 0 }: LoadedAccount,
  { stored, samples, triggers, events }: Changes,
  isLast: boolean,
): Promise<void> {
  const before = [
    ...createSessionWriter(scope).toSave(changedSessions, nowMs),
    ...(changedSubjects.size > 0 ? createSubjectWriter(scope).toSave(changedSubjects) : []),
    ...(triggers.size > 0 ? createTriggerWriter(scope).toSave(triggers) : []),
    ...(events.length > 0 ? createOutboxTable(scope).toAppend(events, epoch, nowMs) : []),
  ];
  const left = samples ? before : await saveAtOnce(scope, stored, nowMs, before, isLast);
  if (!left) return;
  const bodies = stored.length + (samples?.bodies ?? 0);
  const positions = await createPositionTable(scope).take(bodies, nowMs, left);
  const rows = createReadingTable(scope).toAppend(stored, positions.first);
  const sampleRows = samples?.toSave(scope, positions.first) ?? [];
  await runStatements(scope, [...rows, ...sampleRows, ...positions.toSave], isLast);
}

/** Writes the readings in the packet of the other changes. Otherwise returns those of `before` that have not run. */
async function saveAtOnce(
  scope: WriteScope,
  stored: readonly StoredReading[],
  nowMs: number,
  before: readonly Statement[],
  isLast: boolean,
): Promise<readonly Statement[] | undefined> {
  const positions = createPositionTable(scope);
  const readings = createReadingTable(scope);
  const min = nowMs * positionsPerMs;
  const max = readings.findFirstMax(stored, min);
  if (stored.length === 0 || max === undefined || !positions.hasPackets()) return before;
  const rows = readings.toAppend(stored, min, true);
  return (await positions.takeInPacket(stored.length, { min, max }, before, rows, isLast)) ? undefined : [];
}
