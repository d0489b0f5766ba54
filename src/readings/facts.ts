import { facts as settings } from '../../generated/spec.js';
import { readAllowed } from '../contract/consent.js';
import { type Grant, isBeforeErasure } from '../contract/grant.js';
import { createValidationError, ProblemError } from '../contract/problem.js';
import { consent as consentSettings } from '../../generated/spec.js';
import type { Subject } from '../../packages/score/rows/person.js';
import { floorHour } from '../../packages/score/summary.js';
import { unknownSubject } from '../../packages/score/triggers.js';
import { createErasedIdTable, type DigestId } from '../store/erased-ids.js';
import { createFactTable, type FactRow, findPendingPeople, type PendingFact, type StoredFact } from '../store/facts.js';
import { findSettings } from '../store/keys.js';
import { runStatements } from '../store/rows.js';
import { createSampleTable, type PlacedReading, toHourKey } from '../store/samples.js';
import { listSessionIds, scanReadings } from '../store/scan.js';
import type { SlicedScope, WriteScope } from '../store/scope.js';
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
  readonly scoreAgain: ScoreAgain;
}

/** Scores the readings of a person again. Resolves when those of all facts are scored that were stored before the call. */
export type ScoreAgain = (accountId: string, subjectId: string, signal?: AbortSignal) => Promise<void>;

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
  await parts.scoreAgain(caller.accountId, subjectId);
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
  await parts.scoreAgain(caller.accountId, subjectId);
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
  return stated.source === undefined || isDispute(stated) || toText(stated) > toText(before);
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
export async function scorePendingPeople(
  { store, now, scoreAgain }: Omit<FactParts, 'digestId'>,
  signal?: AbortSignal,
): Promise<void> {
  // Facts that change meanwhile are the work of their requests, which may never cease.
  const beforeMs = now();
  for (;;) {
    const people = await store.run((knex) => findPendingPeople(knex, beforeMs, peopleAtOnce));
    if (people.length === 0 || signal?.aborted) return;
    for (const { accountId, subjectId } of people) await scoreAgain(accountId, subjectId, signal);
  }
}

export interface ScoringParts extends Pick<FactParts, 'store' | 'now'> {
  /** Runs a read of an account slice by slice, in turn with those of other accounts. */
  readonly share: (accountId: string, read: (scope: SlicedScope) => Promise<void>) => Promise<void>;
}

/**
 * Returns the scoring of people whose facts have changed. One run of a person is in progress, and all calls meanwhile share the
 * next one: many changes of the same hours cost as much as two.
 */
export function createScoreAgain({ share, ...parts }: ScoringParts): ScoreAgain {
  const current = new Map<string, Promise<void>>();
  const next = new Map<string, Promise<void>>();
  return (accountId, subjectId, signal) => {
    const key = JSON.stringify([accountId, subjectId]);
    const begin = () => {
      next.delete(key);
      const run = share(accountId, (scope) => scorePending(parts, scope, subjectId, signal)).finally(() =>
        current.delete(key),
      );
      current.set(key, run);
      return run;
    };
    const waiting = next.get(key);
    if (waiting) return waiting;
    const running = current.get(key);
    if (!running) return begin();
    const following = running.then(begin, begin);
    next.set(key, following);
    return following;
  };
}

/** Scores the readings of a person again whose facts have changed, in parts. */
async function scorePending(
  { store, now }: Pick<FactParts, 'store' | 'now'>,
  scope: SlicedScope,
  subjectId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { accountId } = scope;
  const columns: string[] = [];
  for (const { facts, ...span } of uniteSpans(await createFactTable(scope).pendingOf(subjectId))) {
    const sessions = await listSessionIds(scope, { kind: 'person', subjectId }, span.fromMs);
    for await (const rows of scanReadings(scope, sessions.keys(), columns, span)) {
      if (signal?.aborted) return;
      const ids = new Set(rows.map(({ incarnation }) => sessions.get(incarnation) as string));
      const positions = rows.map(({ position }) => position);
      await store.transact((scopeOf) => scoreRows(scopeOf(accountId), subjectId, [...ids], positions, now()));
      const doneMs = rows.at(-1)?.timestamp_ms ?? 0;
      const begun = facts.filter((it) => it.pendingFromMs < doneMs && it.pendingUntilMs > doneMs);
      for (const fact of begun)
        await store.run((knex) => createFactTable({ knex, accountId }).advance(subjectId, fact, doneMs));
    }
    for (const fact of facts) await store.run((knex) => createFactTable({ knex, accountId }).settle(subjectId, fact));
  }
}

/** Joins the times of facts that overlap, so that each reading is scored once. */
function uniteSpans(pending: readonly PendingFact[]) {
  const spans: Array<{ fromMs: number; toMs: number; facts: PendingFact[] }> = [];
  for (const fact of pending.toSorted((a, b) => a.pendingFromMs - b.pendingFromMs)) {
    // A minute of the history begins before what covers a part of it.
    const [fromMs, toMs, last] = [fact.pendingFromMs - minuteMs, fact.pendingUntilMs, spans.at(-1)];
    if (!last || fromMs > last.toMs) spans.push({ fromMs, toMs, facts: [fact] });
    else {
      last.toMs = Math.max(last.toMs, toMs);
      last.facts.push(fact);
    }
  }
  return spans;
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
