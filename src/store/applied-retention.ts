import type { Knex } from 'knex';

const name = 'readings_hours';

/** The retention of readings that the last purge applied, which all processes of a database share. */
export function appliedRetention(knex: Knex) {
  return {
    /** Returns the number of hours. Undefined before the first purge. */
    async find(): Promise<number | undefined> {
      return (await knex('applied_retention').where({ name }).first('value'))?.value;
    },
    async set(hours: number): Promise<void> {
      await knex('applied_retention').insert({ name, value: hours }).onConflict('name').merge();
    },
  };
}
