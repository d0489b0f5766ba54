import { randomUUID } from 'node:crypto';
import { alerts as settings } from '../../generated/spec.js';
import { createDayCalendar } from '../../packages/score/summary.js';
import type { Schema } from '../contract/contract.js';
import { createFault, createValidationError, ProblemError } from '../contract/problem.js';
import { createAlertTable, type StoredAlertRule } from '../store/alerts.js';
import { omitErasedPeople } from '../store/leftovers.js';
import { createWebhookTable } from '../store/webhooks.js';
import type { OperationRecord } from './operation.js';
import { toAlertRule } from './list-alert-rules.js';

/** Creates an alert rule, or returns the equal one that exists. */
export const createAlertRule: OperationRecord<'createAlertRule', 'store' | 'now' | 'digestId'> = {
  personalData: 'none',
  async handle({ store, now, digestId }, { body }, { accountId }) {
    requireRule(body);
    const rule = toStoredRule(body, now());
    return store.transact(async (scopeOf) => {
      const scope = scopeOf(accountId);
      // Excludes other rules of the account.
      await createWebhookTable(scope).lockAccount();
      const rules = await omitErasedPeople(scope, await createAlertTable(scope).list(), digestId);
      const equal = rules.find((it) => describe(it) === describe(rule));
      if (equal) return { status: 200 as const, body: toAlertRule(equal) };
      if (rules.length >= settings.max_per_account)
        throw createValidationError('too_many_alert_rules', { pointer: '' }, String(settings.max_per_account));
      await createAlertTable(scope).insert(rule);
      await createAlertTable(scope).seed(rule.createdAtMs);
      return { status: 201 as const, body: toAlertRule(rule) };
    });
  },
};

/** Throws a ProblemError for a duration that its condition does not have, and for an unknown time zone. */
function requireRule({ condition, minutes, hours, quiet_hours }: Schema<'AlertRuleRequest'>): void {
  const hasMinutes = condition === 'stressed' || condition === 'above_usual';
  const others = { minutes: !hasMinutes && minutes, hours: condition !== 'no_data' && hours };
  const faults = Object.entries(others).flatMap(([name, value]) =>
    typeof value === 'number' ? createFault('other_condition', { pointer: `/${name}` }, condition) : [],
  );
  if (quiet_hours && !createDayCalendar(quiet_hours.time_zone))
    faults.push(createFault('time_zone_invalid', { pointer: '/quiet_hours/time_zone' }));
  if (faults.length > 0) throw new ProblemError('validation_failed', { faults });
}

function toStoredRule(request: Schema<'AlertRuleRequest'>, nowMs: number): StoredAlertRule {
  const { condition, minutes = settings.default_minutes, hours = settings.default_hours } = request;
  const { subject_ids: subjectIds, quiet_hours: quietHours } = request;
  const durations = { stressed: { minutes }, above_usual: { minutes }, no_data: { hours }, trigger_active: {} };
  return {
    alertId: `alr_${randomUUID().replaceAll('-', '').slice(0, 20)}`,
    condition,
    ...durations[condition],
    ...(quietHours && { quietHours }),
    ...(subjectIds && { subjectIds: [...subjectIds].sort() }),
    createdAtMs: nowMs,
  };
}

/** Returns the same text for equal rules. */
function describe({ condition, minutes, hours, quietHours, subjectIds }: StoredAlertRule): string {
  const { from, to, time_zone } = quietHours ?? {};
  return JSON.stringify([condition, minutes, hours, from, to, time_zone, subjectIds]);
}
