import type { Schema } from '../contract/contract.js';
import { createAlertTable, type StoredAlertRule } from '../store/alerts.js';
import { omitErasedPeople } from '../store/leftovers.js';
import type { OperationRecord } from './operation.js';

export const listAlertRules: OperationRecord<'listAlertRules', 'store' | 'digestId'> = {
  personalData: 'none',
  async handle({ store, digestId }, _, { accountId }) {
    const scope = store.read(accountId);
    const table = createAlertTable(scope);
    const rules = await omitErasedPeople(scope, await table.list(), digestId);
    const fired = await table.lastFirings(rules.map(({ alertId }) => alertId));
    const alerts = rules.map((rule) => {
      const firedAtMs = fired.get(rule.alertId);
      return { ...toAlertRule(rule), ...(firedAtMs && { last_fired_at: new Date(firedAtMs).toISOString() }) };
    });
    return { status: 200, body: { alerts } };
  },
};

/** Returns a rule as defined in the contract. */
export function toAlertRule(rule: StoredAlertRule): Schema<'AlertRule'> {
  const { alertId: id, subjectIds: subject_ids, quietHours: quiet_hours, createdAtMs, ...content } = rule;
  return {
    id,
    ...content,
    ...(subject_ids && { subject_ids: [...subject_ids] }),
    ...(quiet_hours && { quiet_hours }),
    created_at: new Date(createdAtMs).toISOString(),
  };
}
