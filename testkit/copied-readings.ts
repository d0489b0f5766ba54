import { readConfig } from '../src/config/config.js';
import { openDatabase } from '../src/store/database.js';
import { toAccountKey } from '../src/store/readings.js';
import type { TestService } from './service.js';

const rowsPerInsert = 500;
/** Length of a row, so that 3,000 rows exceed the buffers of a connection, up to about 10 MB on loopback. */
const long = 'x'.repeat(6_000);

/**
 * Makes the account's only reading long and copies it, with later positions, until the account has `count` readings. Returns their
 * positions, which are the ids of their events.
 */
export async function copyReading(
  { accountId, database }: Pick<TestService, 'accountId' | 'database'>,
  count: number,
): Promise<string[]> {
  const knex = openDatabase(readConfig({ DATABASE_URL: database.url }).database);
  const account = toAccountKey(accountId);
  const stored = await knex('session_readings').where({ account }).first();
  const row = { ...stored, response: JSON.stringify({ ...JSON.parse(stored.response), reason: long }) };
  await knex('session_readings').where({ account }).update({ response: row.response });
  const copies = Array.from({ length: count - 1 }, (_, index) => ({
    ...row,
    digest: String(index).padStart(12, '0'),
    position: Number(row.position) + 2 * (index + 1),
  }));
  await knex.batchInsert('session_readings', copies, rowsPerInsert);
  const position = copies.at(-1)?.position;
  await knex('stream_positions').where({ account_id: accountId }).update({ position });
  await knex.destroy();
  return [row, ...copies].map((it) => String(it.position));
}
