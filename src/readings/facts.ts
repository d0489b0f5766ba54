import { setImmediate as runOtherWork } from 'node:timers/promises';
import { facts as settings } from '../../generated/spec.js';
import { readAllowed } from '../contract/consent.js';
import { type Grant, isBeforeErasure } from '../contract/grant.js';
import { createValidationError, ProblemError } from '../contract/problem.js';
import { consent as consentSettings } from '../../generated/spec.js';
import type { Subject } from '../../packages/score/rows/person.js';
import { floorHour } from '../../packages/score/summary.js';
import { unknownSubject } from '../../packages/score/triggers.js';
import { createErasedIdTable, type DigestId } from '../store/erased-ids.js';
import { createFactTable, type FactRow, findPendingPeople, type StoredFact } from '../store/facts.js';
import { findSettings } from '../store/keys.js';
import { runStatements } from '../store/rows.js';
import { createSampleTable, type PlacedReading, toHourKey } from '../store/samples.js';
import { listSessionIds, scanReadings } from '../store/scan.js';
import type { WriteScope } from '../store/scope.js';
import { createSessionWriter } from '../store/sessions.js';
import type { Store } from '../store/store.js';
import { createPositionTable } from '../store/stream-positions.js';
import { createSubjectWriter } from '../store/subjects.js';
import { hasStatedPurpose } from './consent.js';
import { coverStored, findCoverage, findUndisputed, restoreUndisputed, scoreAgain, splitComputed } from './covering.js';

/*
 * A fact that is stored, changed or removed scores the readings again that it covers, or covered: a few per transaction. Its
 * row says which of them remain, so that the work continues after a crash. Removing a fact removes its row at the end.
 */

const { disputes } = settings;
const [hourMs, minuteMs] = [3_600_000, 60_000];
const peopleAtOnce = 100;

export interface FactParts {
  readonly store: Store;
  /** The time of the database in epoch ms. */
  readonly now: () => number;
  readonly digestId: DigestId;
}

/** What states a fact. */
export type StatedFact = Pick<StoredFact, 'factId' | 'kind' | 'level' | 'startMs' | 'endMs' | 'revision' | 'source'>;

/**
 * Stores a fact of a person and scores the readings again that it changes. Returns the stored fact: an earlier one if it has a
 * higher revision. Throws a ProblemError for a fact of a wrong length, and without consent.
 */
export async function putFact(
  parts: FactParts,
  caller: Grant,
  subjectId: string,
  stated: StatedFact,
): Promise<StoredFact> {
  const untilMs = findEnd(stated);
  const stored = await parts.store.transact(async (scopeOf) => {
    const scope = scopeOf(caller.accountId);
    const table = createFactTable(scope);
    const [subjects, nowMs] = [createSubjectWriter(scope), parts.now()];
    const subject = (await subjects.lock([subjectId])).get(subjectId) ?? unknownSubject;
    await requireNoErasure(parts, scope, caller, subjectId);
    requireConsent(caller, subject.consent, nowMs);
    const before = await table.find(subjectId, stated.factId);
    if (before && !before.isRemoved && !replaces(before, stated)) return before;
    const isNew = !before || before.isRemoved === 1;
    if (isNew && isDispute(stated)) await requireFewDisputes(table, subjectId, nowMs);
    if (isNew && (await table.count(subjectId)) >= settings.per_subject_max)
      throw createValidationError('too_many_facts', { pointer: '' }, String(settings.per_subject_max));
    const pending = widen(before, stated.startMs, untilMs);
    const recordedAtMs = Math.max(nowMs, (before?.recordedAtMs ?? 0) + 1);
    const row: FactRow = { ...stated, untilMs, recordedAtMs, isRemoved: 0, ...pending };
    await table.save(subjectId, row);
    const { fromMs, untilMs: lastMs } = subject.facts ?? { fromMs: stated.startMs, untilMs };
    const facts = { fromMs: Math.min(fromMs, stated.startMs), untilMs: Math.max(lastMs, untilMs) };
    await runStatements(scope, subjects.toSave(new Map([[subjectId, { ...subject, facts }]])));
    return row;
  });
  await scorePending(parts, caller.accountId, subjectId);
  return stored;
}

/**
 * Removes a fact of a person and scores the readings again that it covered. A link removes only what the person stated.
 * Throws fact_not_found.
 */
export async function removeFact(parts: FactParts, caller: Grant, subjectId: string, factId: string): Promise<void> {
  const isRemoved = await parts.store.transact(async (scopeOf) => {
    const scope = scopeOf(caller.accountId);
    const table = createFactTable(scope);
    const subjects = createSubjectWriter(scope);
    const subject = (await subjects.lock([subjectId])).get(subjectId);
    if (!subject) await subjects.removePlaceholders([subjectId]);
    const before = await table.find(subjectId, factId);
    if (!subject || !before || before.isRemoved || (caller.link && !isDispute(before))) return false;
    const pending = widen(before, before.startMs, before.untilMs);
    const recordedAtMs = Math.max(parts.now(), before.recordedAtMs + 1);
    await table.save(subjectId, { ...before, ...pending, recordedAtMs, isRemoved: 1 });
    const facts = await table.findSpan(subjectId);
    await runStatements(scope, subjects.toSave(new Map([[subjectId, { ...subject, facts }]])));
    return true;
  });
  if (!isRemoved) throw new ProblemError('fact_not_found');
  await scorePending(parts, caller.accountId, subjectId);
}

/** Returns the time until which a fact counts. Throws a ProblemError if it ends before it starts, or is too long. */
function findEnd(stated: StatedFact): number {
  const { kind, level, startMs, endMs } = stated;
  const hours = Math.min(settings.hours_max[kind], isDispute(stated) ? disputes.hours_max : Infinity);
  if (level !== undefined && kind !== 'exercise') throw createValidationError('fact_level', { pointer: '/level' });
  if (endMs === undefined && isDispute(stated)) throw createValidationError('missing', { pointer: '/end' });
  if (endMs === undefined) return startMs + settings.open_hours[kind] * hourMs;
  if (endMs <= startMs || endMs > startMs + hours * hourMs)
    throw createValidationError('fact_end', { pointer: '/end' }, String(hours));
  return endMs;
}

const isDispute = ({ source }: Pick<StatedFact, 'source'>) => source === disputes.source;

async function requireFewDisputes(table: ReturnType<typeof createFactTable>, subjectId: string, nowMs: number) {
  const stated = await table.countSince(subjectId, disputes.source, nowMs - 24 * hourMs);
  if (stated >= disputes.per_day_max)
    throw createValidationError('too_many_disputes', { pointer: '' }, String(disputes.per_day_max));
}

/** Returns true if a fact takes the place of a stored one. An equal one changes nothing. */
function replaces(before: StoredFact, stated: StatedFact): boolean {
  // A source changes only its own facts.
  if (stated.source !== undefined && stated.source !== before.source) return false;
  if (stated.revision !== before.revision) return stated.revision > before.revision;
  const names = ['kind', 'level', 'startMs', 'endMs'] as const;
  if (names.every((name) => stated[name] === before[name])) return false;
  // The bodies of sources arrive in any order.
  return stated.source === undefined || toText(stated) > toText(before);
}

const toText = ({ endMs = 0, startMs, kind, level }: StatedFact) => JSON.stringify([endMs, startMs, kind, level]);

/** Returns the times to score again: those that a fact covers or covered. */
function widen(before: FactRow | undefined, fromMs: number, untilMs: number) {
  return {
    pendingFromMs: Math.min(fromMs, before?.startMs ?? fromMs, before?.pendingFromMs ?? fromMs),
    pendingUntilMs: Math.max(untilMs, before?.untilMs ?? untilMs, before?.pendingUntilMs ?? untilMs),
  };
}

async function requireNoErasure({ digestId }: FactParts, scope: WriteScope, caller: Grant, subjectId: string) {
  if (caller.issuedAtMs === undefined) return;
  const erased = await createErasedIdTable(scope).find(digestId(scope.accountId, { kind: 'subject', id: subjectId }));
  if ([...erased.values()].some((erasedAtMs) => isBeforeErasure(caller, erasedAtMs)))
    throw new ProblemError('invalid_token', { cause: 'issued before an erasure' });
}

function requireConsent({ settings: account }: Grant, given: Subject['consent'], nowMs: number): void {
  if (isMovementAllowed(account, given, nowMs)) return;
  const reason = consentSettings.refusals[given ? 'nothing_left' : 'not_recorded'];
  throw new ProblemError('consent_required', { explanation: { reason } });
}

/** Returns true if the person of an account allows data about movement, or need not. */
function isMovementAllowed(account: Grant['settings'], given: Subject['consent'], nowMs: number): boolean {
  if (account?.consent !== 'enforce') return true;
  return given !== undefined && readAllowed(given, hasStatedPurpose(account), nowMs).has('movement');
}

/** Scores the readings of people again that a stopped process left. Ends when all are scored or `signal` aborts. */
export async function scorePendingPeople(parts: Omit<FactParts, 'digestId'>, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const people = await parts.store.run((knex) => findPendingPeople(knex, peopleAtOnce));
    if (people.length === 0 || signal?.aborted) return;
    for (const { accountId, subjectId } of people) await scorePending(parts, accountId, subjectId, signal);
  }
}

/** Scores the readings of a person again whose facts have changed, in parts. */
export async function scorePending(
  parts: Omit<FactParts, 'digestId'>,
  accountId: string,
  subjectId: string,
  signal?: AbortSignal,
): Promise<void> {
  const { store } = parts;
  const scope = store.read(accountId);
  const table = createFactTable(scope);
  const columns: string[] = [];
  for (const factId of await table.pendingOf(subjectId)) {
    const fact = await table.find(subjectId, factId);
    if (fact?.pendingFromMs === undefined || fact.pendingUntilMs === undefined) continue;
    // A minute of the history begins before what covers a part of it.
    const span = { fromMs: fact.pendingFromMs - minuteMs, toMs: fact.pendingUntilMs };
    const sessions = await listSessionIds(scope, { kind: 'person', subjectId }, span.fromMs);
    for await (const rows of scanReadings(scope, sessions.keys(), columns, span)) {
      if (signal?.aborted) return;
      const ids = new Set(rows.map(({ incarnation }) => sessions.get(incarnation) as string));
      const positions = rows.map(({ position }) => position);
      await store.transact((scopeOf) => scoreRows(scopeOf(accountId), subjectId, [...ids], positions, parts.now()));
      await store.run((knex) =>
        createFactTable({ knex, accountId }).advance(subjectId, fact, rows.at(-1)?.timestamp_ms ?? 0),
      );
      await runOtherWork();
    }
    await store.run((knex) => createFactTable({ knex, accountId }).settle(subjectId, fact));
  }
}

/** Scores some readings of a person again, under the locks that readings take. Those of stored hours stay. */
async function scoreRows(
  scope: WriteScope,
  subjectId: string,
  sessionIds: readonly string[],
  positions: readonly number[],
  nowMs: number,
): Promise<void> {
  const samples = createSampleTable(scope);
  await runStatements(scope, [createSessionWriter(scope).toLock(sessionIds)]);
  const subjects = createSubjectWriter(scope);
  const subject = (await subjects.lock([subjectId])).get(subjectId);
  // The person was erased.
  if (!subject) return subjects.removePlaceholders([subjectId]);
  const rows = await samples.readAt(positions);
  const times = rows.map(({ timestampMs }) => timestampMs);
  const [fromMs, toMs] = [Math.min(...times), Math.max(...times) + minuteMs];
  // Without consent, no fact counts.
  const people = isMovementAllowed(await findSettings(scope), subject.consent, nowMs) ? [subjectId] : [];
  const facts = (await createFactTable(scope).findByPerson(people, fromMs, toMs)).get(subjectId) ?? [];
  const hours = await samples.findHours([...new Set(times.map(floorHour))].map((it) => [subjectId, it] as const));
  const changed = rows.flatMap((row): PlacedReading[] => {
    const { timestampMs, point, computed } = row;
    const isMinute = row.position < 0 && point.measured.sample_id !== undefined;
    const { covering, isDisputed } = findCoverage(facts, timestampMs, isMinute, point.measured);
    const isSame = covering === computed.covered && (isDisputed || !computed.undisputed);
    if (isSame || hours.has(toHourKey(subjectId, timestampMs))) return [];
    const restored = isDisputed ? undefined : restoreUndisputed(row, covering);
    if (restored) return [{ ...row, ...restored }];
    const covered = coverStored(point.measured, timestampMs, covering);
    const again = scoreAgain(computed, { ...covered, baseline: subject.baseline, isMinute });
    const undisputed = isDisputed ? findUndisputed(row) : undefined;
    const own = { ...splitComputed(computed).ofReading, undisputed };
    return [{ ...row, point: { ...again.point, measured: point.measured }, computed: { ...again.computed, ...own } }];
  });
  if (changed.length === 0) return;
  await samples.removePlaces(changed.flatMap(({ movedTo }) => movedTo ?? []));
  const taken = await createPositionTable(scope).take(changed.length, nowMs, []);
  const entries = changed.map(({ position, incarnation, timestampMs, digest, ...it }) => {
    const replacement = { ...it, sessionId: '', incarnation, timestampMs, digest, isSilent: position < 0 };
    return { incarnation, key: null, timestampMs, digest, isSourced: false, position, replacement };
  });
  await runStatements(scope, [...samples.toSave(entries, taken.first), ...taken.toSave]);
}
