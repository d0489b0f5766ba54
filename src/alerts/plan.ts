import type { AlertPlan } from '../../packages/score/rows/person.js';
import type { StoredAlertRule } from '../store/alerts.js';
import { type Check, findDuration, hourMs, repeatMs } from './conditions.js';
import { findQuietEnd } from './quiet.js';

/** The check of a rule for a person. */
export interface CheckedRule {
  readonly rule: StoredAlertRule;
  readonly check: Check;
}

interface Checked {
  readonly checks: readonly CheckedRule[];
  /** Returns the time of the newest firing of a rule for the person, in epoch ms. -Infinity if there is none. */
  readonly lastFiring: (rule: StoredAlertRule) => number;
  /** False if the consent of the person allows no alert. */
  readonly mayAlert: boolean;
  readonly epoch: number;
  readonly nowMs: number;
}

/** Returns when the rules of a person are evaluated next: at the earliest time, or after a reading at the lowest level. */
export function planNext({ checks, lastFiring, mayAlert, epoch, nowMs }: Checked): AlertPlan {
  const times = checks.map(({ rule, check: { truth, nextMs = Infinity } }) => {
    const lastMs = lastFiring(rule);
    const isOver = truth !== undefined && (!mayAlert || lastMs >= (truth.sinceMs ?? Infinity));
    const quietEndMs = findQuietEnd(rule, nowMs);
    if (!truth) return Math.max(nextMs, quietEndMs ?? 0);
    return isOver ? Infinity : Math.max(lastMs + hourMs, quietEndMs ?? nowMs + repeatMs);
  });
  const pick = (name: 'level' | 'untilMs') => Math.min(...checks.map(({ check }) => check[name] ?? Infinity));
  const plan = {
    ...{ dueMs: Math.min(...times), level: pick('level'), untilMs: pick('untilMs') },
    afterMs: Math.min(...checks.map(({ rule, check }) => check.afterMs ?? findDuration(rule))),
    sinceMs: Math.max(...checks.map(({ check }) => check.sinceMs ?? -Infinity)),
  };
  return { epoch, ...Object.fromEntries(Object.entries(plan).filter(([, it]) => Number.isFinite(it))) };
}
