import type { Knex } from 'knex';
import { asciiJson } from './create-table.js';

/** Columns that development versions had before the column `signals`. */
const formerColumns = ['heart_rate', 'respiratory_rate', 'source_device'] as const;

/** Moves the former columns of a reading into the JSON column `signals`. Does nothing on a new database. */
export async function readingSignals(knex: Knex): Promise<void> {
  if (!(await knex.schema.hasColumn('readings', 'signals')))
    await knex.schema.alterTable('readings', (table) => void asciiJson(table, 'signals').nullable());
  await knex('readings').whereNull('signals').update({ signals: '{"v":1}' });
  for (const column of formerColumns) if (await knex.schema.hasColumn('readings', column)) await move(knex, column);
}

async function move(knex: Knex, column: (typeof formerColumns)[number]): Promise<void> {
  // The former columns store numbers as text.
  const value = column === 'source_device' ? column : `${column} + 0.0`;
  await knex.raw(
    `update readings set signals = json_set(signals, '$.${column}', ${value}) where ${column} is not null`,
  );
  await knex.raw(`alter table readings drop column ${column}`);
}
