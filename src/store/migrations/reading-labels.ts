import type { Knex } from 'knex';
import { ascii } from './create-table.js';

const columns = { respiratory_rate: 32, source_device: 64 } as const;

/** Fields that a reading shows in the history only. Numbers are text, like `heart_rate`. */
export async function readingLabels(knex: Knex): Promise<void> {
  for (const [name, lengthMax] of Object.entries(columns))
    if (!(await knex.schema.hasColumn('readings', name)))
      await knex.schema.alterTable('readings', (table) => void ascii(table, name, lengthMax).nullable());
}
