import type { Subject } from '../../packages/score/rows/person.js';
import { isExpired } from '../contract/consent.js';
import { createAlertTable, type StoredAlertRule, toFiringKey } from '../store/alerts.js';
import { type DigestId, findErasures } from '../store/erased-ids.js';
import { createPersonEvent } from '../store/event-kinds.js';
import { createOutboxTable } from '../store/outbox.js';
import type { WriteScope } from '../store/scope.js';
import { createWebhookTable } from '../store/webhooks.js';
import { hourMs, type Truth } from './conditions.js';

/** A rule whose condition is true for a person. */
export interface Candidate extends Truth {
  readonly rule: StoredAlertRule;
  readonly subjectId: string;
}

export interface FiringParts {
  readonly digestId: DigestId;
  /** The claimed minute, in epoch ms. */
  readonly minuteMs: number;
  /** Time before the people were read, in epoch ms. Somebody who was erased since then does not alert. */
  readonly readAtMs: number;
  readonly nowMs: number;
}

/**
 * Fires the rules of candidates in a transaction: each with a firing, whose key is unique, and an event. Returns the number
 * of firings, or undefined if another process has claimed a later minute.
 *
 * The locks of the people block erasures and changes of consent. Nobody therefore alerts after them.
 */
export async function fire(
  scope: WriteScope,
  candidates: readonly Candidate[],
  { digestId, minuteMs, readAtMs, nowMs }: FiringParts,
): Promise<number | undefined> {
  const alerts = createAlertTable(scope);
  if (!(await alerts.holdsLease(minuteMs))) return undefined;
  const ids = [...new Set(candidates.map(({ subjectId }) => subjectId))];
  const people = await alerts.lockPeople(ids);
  const rules = await alerts.lock([...new Set(candidates.map(({ rule }) => rule.alertId))]);
  const erased = await findErasures(scope, ids, digestId);
  const fired = selectDue(candidates, await alerts.newestFirings(ids), nowMs).filter(
    ({ rule: { alertId, subjectIds, createdAtMs }, subjectId }) =>
      rules.has(alertId) &&
      mayAlert(people.get(subjectId), nowMs) &&
      (erased.get(subjectId) ?? -Infinity) < (subjectIds ? Math.min(createdAtMs, readAtMs) : readAtMs),
  );
  if (fired.length === 0) return 0;
  const epoch = (await createWebhookTable(scope).findEpoch()) ?? 0;
  const events = fired.map(({ rule: { alertId, condition }, subjectId }) => {
    const timestamp = new Date(nowMs).toISOString();
    const body = { event: 'alert', alert_id: alertId, subject_id: subjectId, condition, timestamp } as const;
    return createPersonEvent(subjectId, body, nowMs);
  });
  await alerts.addFirings(fired.map(({ rule: { alertId }, subjectId }) => ({ alertId, subjectId, firedAtMs: nowMs })));
  await createOutboxTable(scope).append(events, epoch, nowMs);
  return fired.length;
}

/** Returns the candidates that did not fire in the last hour, nor since their condition became true. */
export function selectDue(
  candidates: readonly Candidate[],
  newestFirings: ReadonlyMap<string, number>,
  nowMs: number,
): Candidate[] {
  return candidates.filter(({ rule: { alertId }, subjectId, sinceMs = Infinity }) => {
    const lastMs = newestFirings.get(toFiringKey({ alertId, subjectId })) ?? -Infinity;
    return lastMs <= nowMs - hourMs && lastMs < sinceMs;
  });
}

/** Returns false for an erased person, and for one whose newest consent allows nothing. */
function mayAlert(person: Subject | undefined, nowMs: number): boolean {
  if (!person) return false;
  return !person.consent || (person.consent.categories.length > 0 && !isExpired(person.consent, nowMs));
}
