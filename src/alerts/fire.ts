import type { AlertPlan, Subject } from '../../packages/score/rows/person.js';
import { isExpired } from '../contract/consent.js';
import { createAlertTable, type StoredAlertRule, toFiringKey } from '../store/alerts.js';
import { type DigestId, findErasures } from '../store/erased-ids.js';
import { createOutboxTable, createPersonEvent } from '../store/outbox.js';
import { runAll, runStatements } from '../store/rows.js';
import type { WriteScope } from '../store/scope.js';
import { createSubjectWriter, type LockedSubjectRow } from '../store/subjects.js';
import { createWebhookTable, type EpochRow } from '../store/webhooks.js';
import { hourMs, repeatMs } from './conditions.js';
import { type CheckedRule, planNext } from './plan.js';
import { findQuietEnd } from './quiet.js';

/** A person, as of the version that was read, with the checks of the rules. */
export interface Evaluated {
  readonly subjectId: string;
  readonly version: string;
  readonly subject: Subject;
  readonly checks: readonly CheckedRule[];
}

interface SettleParts {
  readonly digestId: DigestId;
  /** Time before the people were read, in epoch ms. Somebody who was erased since then does not alert. */
  readonly readAtMs: number;
  readonly nowMs: number;
  /** The epoch before the rules were read. Undefined if the account has no webhook. */
  readonly epoch: number | undefined;
}

type Candidate = CheckedRule & Pick<Evaluated, 'subjectId' | 'subject'>;

/**
 * Fires the rules of people in a transaction: each with a firing, whose key is unique, and an event. Stores when each person is
 * due again. Returns the number of firings.
 *
 * The locks of the people block readings, erasures, changes of consent and other evaluations. Nobody therefore alerts after
 * them, or twice.
 */
export async function settle(scope: WriteScope, evaluated: readonly Evaluated[], parts: SettleParts): Promise<number> {
  const { nowMs } = parts;
  const subjects = createSubjectWriter(scope);
  const ids = evaluated.map(({ subjectId }) => subjectId);
  const [rows, epochs] = await runAll(scope, [subjects.toLock(ids), createWebhookTable(scope).selectEpoch()]);
  const locked = new Map((rows as LockedSubjectRow[]).map((row) => [row.subject_id, row]));
  const people = await subjects.lock([...locked.keys()], [...locked.values()]);
  const present = evaluated.flatMap((it) => {
    const subject = people.get(it.subjectId);
    return subject ? { ...it, subject, isCurrent: locked.get(it.subjectId)?.version === it.version } : [];
  });
  const { fired, firings } = await fireDue(scope, present, parts);
  const [epoch] = (epochs ?? []) as EpochRow[];
  const planned = present.map(({ subjectId, subject, checks, isCurrent }): [string, Subject] => {
    const lastFiring = ({ alertId }: StoredAlertRule) => firings.get(toFiringKey({ alertId, subjectId })) ?? -Infinity;
    const plan = planNext({ checks, lastFiring, mayAlert: mayAlert(subject, nowMs), epoch: parts.epoch ?? 0, nowMs });
    const isComplete = isCurrent && epoch?.webhook_epoch === parts.epoch;
    return [subjectId, { ...subject, alert: isComplete ? plan : repeatSoon(plan, nowMs) }];
  });
  await runStatements(scope, subjects.toSave(new Map(planned), true));
  return fired;
}

/** Fires what is due. Returns the number of firings, and the newest firing of each rule for these people. */
async function fireDue(scope: WriteScope, present: readonly Evaluated[], parts: SettleParts) {
  const candidates = present.flatMap(({ checks, ...person }) => checks.map((it) => ({ ...it, ...person })));
  const ids = new Set(candidates.flatMap(({ check, subjectId }) => (check.truth ? subjectId : [])));
  if (ids.size === 0) return { fired: 0, firings: new Map<string, number>() };
  const firings = await createAlertTable(scope).newestFirings([...ids]);
  const isDueNow = (it: Candidate) => isDue(it, firings.get(toKey(it)) ?? -Infinity, parts.nowMs);
  const due = candidates.filter(isDueNow);
  const fired = due.length > 0 ? await fire(scope, due, parts) : [];
  for (const it of fired) firings.set(toKey(it), parts.nowMs);
  return { fired: fired.length, firings };
}

const toKey = ({ rule: { alertId }, subjectId }: Candidate) => toFiringKey({ alertId, subjectId });

/** Returns the plan after a reading, rule or receiver that the evaluation does not contain. */
const repeatSoon = ({ epoch, dueMs = Infinity }: AlertPlan, nowMs: number): AlertPlan => ({
  epoch,
  dueMs: Math.min(dueMs, nowMs + repeatMs),
});

/**
 * Returns true if a condition is true, and its rule may fire: not in the last hour, not since the condition became true, not in
 * quiet hours.
 */
function isDue({ rule, check: { truth }, subject }: Candidate, lastMs: number, nowMs: number): boolean {
  const isNew = truth !== undefined && lastMs <= nowMs - hourMs && lastMs < (truth.sinceMs ?? Infinity);
  return isNew && mayAlert(subject, nowMs) && findQuietEnd(rule, nowMs) === undefined;
}

/** Stores the firings and their events. Returns them, without those of removed rules and of people who were erased meanwhile. */
async function fire(scope: WriteScope, due: readonly Candidate[], { digestId, readAtMs, nowMs }: SettleParts) {
  const alerts = createAlertTable(scope);
  const rules = await alerts.lock([...new Set(due.map(({ rule }) => rule.alertId))]);
  const erased = await findErasures(scope, [...new Set(due.map(({ subjectId }) => subjectId))], digestId);
  const fired = due.filter(
    ({ rule: { alertId, subjectIds, createdAtMs }, subjectId }) =>
      rules.has(alertId) &&
      (erased.get(subjectId) ?? -Infinity) < (subjectIds ? Math.min(createdAtMs, readAtMs) : readAtMs),
  );
  if (fired.length === 0) return fired;
  const epoch = (await createWebhookTable(scope).findEpoch()) ?? 0;
  const events = fired.map(({ rule: { alertId, condition }, subjectId }) => {
    const timestamp = new Date(nowMs).toISOString();
    const body = { event: 'alert', alert_id: alertId, subject_id: subjectId, condition, timestamp } as const;
    return createPersonEvent(subjectId, body, nowMs);
  });
  await alerts.addFirings(fired.map(({ rule: { alertId }, subjectId }) => ({ alertId, subjectId, firedAtMs: nowMs })));
  await createOutboxTable(scope).append(events, epoch, nowMs);
  return fired;
}

/** Returns false for a person whose newest consent allows nothing. */
function mayAlert({ consent }: Subject, nowMs: number): boolean {
  return !consent || (consent.categories.length > 0 && !consent.isUnverified && !isExpired(consent, nowMs));
}
