import type { Schema } from '../contract/contract.js';
import { createAlertTable, type StoredAlertRule } from '../store/alerts.js';
import type { OperationRecord } from './operation.js';

export const listAlertRules: OperationRecord<'listAlertRules', 'store'> = {
  personalData: 'none',
  async handle({ store }, _, { accountId }) {
    const rules = await createAlertTable(store.read(accountId)).list();
    return { status: 200, body: { alerts: rules.map(toAlertRule) } };
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
