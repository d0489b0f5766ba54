import type { Knex } from 'knex';
import { retention } from '../../../generated/spec.js';
import { findTables, tables } from '../tables/index.js';
import { person_links } from '../tables/person-links.js';
import { alertTables } from '../tables/alerts.js';
import { devices } from '../tables/devices.js';
import { facts } from '../tables/facts.js';
import { service_runs } from '../tables/service-runs.js';
import { source_keys } from '../tables/source-keys.js';
import { subjectTables } from '../tables/subjects.js';
import { createTable, readParts, type TableDefinition } from '../tables/table.js';
import { defaultHours } from '../tables/usage.js';
import { usage_hours } from '../tables/usage-hours.js';

export interface Migration {
  readonly name: string;
  readonly run: (knex: Knex) => Promise<void>;
  /**
   * True if earlier versions cannot read and write the schema afterwards: they then refuse it. A new table, index or
   * column with a default breaks nothing. Split other changes over two releases: the first one reads and writes both
   * forms.
   */
  readonly breaksEarlier?: true;
}

/**
 * All migrations, in order. The database stores their names. MySQL commits each schema statement separately. Each
 * migration is therefore idempotent, so that it can run again after a crash.
 *
 * Names are fixed text, and a released migration is never edited. The initial one creates the tables as they are today, so a
 * later migration may find its change already made.
 */
export const migrations: readonly Migration[] = [
  { name: 'initial', run: createDatabase },
  { name: 'row-codes', run: addRowCodes },
  { name: 'samples', run: addSamples },
  { name: 'source-keys', run: (knex) => createTable(knex, 'source_keys', source_keys) },
  { name: 'late-readings-by-session', run: addSamples },
  { name: 'person-links', run: addPersonLinks },
  { name: 'alerts', run: addAlerts },
  { name: 'service-runs', run: (knex) => createTable(knex, 'service_runs', service_runs) },
  { name: 'purge-turns', run: addSamples },
  { name: 'alert-times', run: addAlertTimes },
  { name: 'usage-hours', run: (knex) => createTable(knex, 'usage_hours', usage_hours) },
  { name: 'facts', run: (knex) => createTable(knex, 'facts', facts) },
  { name: 'devices', run: (knex) => createTable(knex, 'devices', devices) },
];

/** Creates all tables, and stores the default retention. A database of 1.0.0, on which this does not run, has none. */
async function createDatabase(database: Knex): Promise<void> {
  await createTables(database);
  const row = { name: defaultHours, value: retention.readings_hours };
  await database('applied_retention').insert(row).onConflict('name').ignore();
}

/** Adds the codes of rows, which stay null until a process codes the rows. */
async function addRowCodes(database: Knex): Promise<void> {
  for (const { name, ...definition } of findTables(({ coded }) => coded !== undefined))
    await createTable(database, name, definition);
}

/** Adds the columns and the indexes of samples. */
async function addSamples(database: Knex): Promise<void> {
  for (const { name, ...definition } of findTables(({ added }) => added !== undefined))
    await createTable(database, name, definition);
}

/** Adds the links of people, and the column with the link of a source key. */
async function addPersonLinks(database: Knex): Promise<void> {
  await createTable(database, 'person_links', person_links);
  await createTable(database, 'source_keys', source_keys);
}

/** Adds the tables of alert rules. */
async function addAlerts(database: Knex): Promise<void> {
  for (const [name, definition] of Object.entries(alertTables)) await createTable(database, name, definition);
}

/** Adds the times at which alert rules are evaluated. */
async function addAlertTimes(database: Knex): Promise<void> {
  await createTable(database, 'subjects', subjectTables['subjects'] as TableDefinition);
  await addAlerts(database);
}

/** Creates what is missing of all tables. */
export async function createTables(database: Knex): Promise<void> {
  const stored = await readParts(database);
  for (const [name, definition] of Object.entries(tables)) await createTable(database, name, definition, stored);
}
