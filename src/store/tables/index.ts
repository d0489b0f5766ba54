import { accessTables } from './access-record.js';
import { accountTables } from './accounts.js';
import { alertTables } from './alerts.js';
import { consents } from './consent.js';
import { devices } from './devices.js';
import { erased_ids } from './erased-ids.js';
import { facts } from './facts.js';
import { feedback } from './feedback.js';
import { person_links } from './person-links.js';
import { receipt_keys } from './receipt-keys.js';
import { secrets_keys } from './secrets-key.js';
import { sessionTables } from './sessions.js';
import { service_runs } from './service-runs.js';
import { source_keys } from './source-keys.js';
import { subject_hours } from './subject-hours.js';
import { subjectTables } from './subjects.js';
import type { TableDefinition, Tables } from './table.js';
import { usage_hours } from './usage-hours.js';
import { usageTables } from './usage.js';
import { webhookTables } from './webhooks.js';

/** All tables, by name. The ledger of migrations is created before them. */
export const tables: Tables = {
  ...accountTables,
  ...sessionTables,
  ...subjectTables,
  ...webhookTables,
  ...usageTables,
  usage_hours,
  secrets_keys,
  erased_ids,
  subject_hours,
  ...accessTables,
  receipt_keys,
  feedback,
  consents,
  source_keys,
  person_links,
  ...alertTables,
  service_runs,
  facts,
  devices,
};

/** Tables that match a condition, with their names. */
export function findTables(
  matches: (table: TableDefinition) => boolean,
): Array<TableDefinition & { readonly name: string }> {
  return Object.entries(tables).flatMap(([name, it]) => (matches(it) ? [{ name, ...it }] : []));
}
