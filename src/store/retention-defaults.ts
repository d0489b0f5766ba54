import type { Knex } from 'knex';

/** `summary_days`: used if the operator sets none. `readings_hours`: the retention that the last purge applied. */
export type RetentionDefault = 'summary_days' | 'readings_hours';

/** The retention that all processes of a database share. */
export function retentionTable(knex: Knex) {
  const rowOf = (name: RetentionDefault) => knex('retention_defaults').where({ name });
  return {
    /** Returns the number of days or hours. Undefined if none is stored. */
    async find(name: RetentionDefault): Promise<number | undefined> {
      return (await rowOf(name).first('value'))?.value;
    },
    async set(name: RetentionDefault, value: number): Promise<void> {
      await knex('retention_defaults').insert({ name, value }).onConflict('name').merge();
    },
  };
}
