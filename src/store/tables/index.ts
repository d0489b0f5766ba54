import { accessTables } from './access-record.js';
import { accountTables } from './accounts.js';
import { consentTables } from './consent.js';
import { erasedIdTables } from './erased-ids.js';
import { feedbackTables } from './feedback.js';
import { receiptKeyTables } from './receipt-keys.js';
import { secretsKeyTables } from './secrets-key.js';
import { sessionTables } from './sessions.js';
import { subjectHourTables } from './subject-hours.js';
import { subjectTables } from './subjects.js';
import type { TableDefinition, Tables } from './table.js';
import { usageTables } from './usage.js';
import { webhookTables } from './webhooks.js';

/** All tables, by name. The ledger of migrations is created before them. */
export const tables: Tables = {
  ...accountTables,
  ...sessionTables,
  ...subjectTables,
  ...webhookTables,
  ...usageTables,
  ...secretsKeyTables,
  ...erasedIdTables,
  ...subjectHourTables,
  ...accessTables,
  ...receiptKeyTables,
  ...feedbackTables,
  ...consentTables,
};

/** Tables that match a condition, with their names. */
export function findTables(
  matches: (table: TableDefinition) => boolean,
): Array<TableDefinition & { readonly name: string }> {
  return Object.entries(tables).flatMap(([name, it]) => (matches(it) ? [{ name, ...it }] : []));
}
