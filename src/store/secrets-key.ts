import type { Knex } from 'knex';

/** The secrets key that protects new secrets. The database does not contain the key itself. */
export interface StoredSecretsKey {
  /** Depends on the key only. See `computeCheckValue`. */
  readonly checkValue: string;
  /** When this key replaced the previous one, in epoch ms. */
  readonly sinceMs: number;
}

const name = 'current';

/** Queries of the key in use. No account owns it. */
export function createSecretsKeyTable(knex: Knex) {
  const insert = ({ checkValue, sinceMs }: StoredSecretsKey) =>
    knex('secrets_keys').insert({ name, check_value: checkValue, since_ms: sinceMs }).onConflict('name');

  return {
    /** Returns undefined if no process has stored a key yet. */
    async find(): Promise<StoredSecretsKey | undefined> {
      const row = await knex('secrets_keys').where({ name }).first('check_value', 'since_ms');
      return row && { checkValue: row.check_value, sinceMs: Number(row.since_ms) };
    },

    /** Stores the first key. Does nothing if a key is stored. */
    async claim(key: StoredSecretsKey): Promise<void> {
      await insert(key).ignore();
    },

    /** Stores the key that replaces the previous one. */
    async replace(key: StoredSecretsKey): Promise<void> {
      await insert(key).merge(['check_value', 'since_ms']);
    },
  };
}
