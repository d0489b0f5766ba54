import { ProblemError } from '../contract/problem.js';
import { createAlertTable } from '../store/alerts.js';
import type { OperationRecord } from './operation.js';

export const removeAlertRule: OperationRecord<'removeAlertRule', 'store'> = {
  personalData: 'none',
  async handle({ store }, { params }, { accountId }) {
    const isRemoved = await store.transact((scopeOf) => createAlertTable(scopeOf(accountId)).remove(params.id));
    if (!isRemoved) throw new ProblemError('alert_rule_not_found');
    return { status: 204 };
  },
};
