import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Knex } from 'knex';
import { type Column, textTable } from '../../../packages/tools/terminal/table.js';
import type { DatabaseKind } from '../../../testkit/databases.js';
import { createKeyOf } from '../../../testkit/program.js';
import { figureColumns } from '../../figures.js';
import { createRequest } from '../../check/shared/client.js';
import { titleOf, withDatabase, withKnex } from './databases.js';
import { createRequests } from './requests.js';
import { withBenchedServices } from './service.js';

const [sessions, readingsPerSession] = [100, 1_000];
const readings = sessions * readingsPerSession;
/** Number of readings per batch. The service stores a batch in one transaction. */
const groupSize = 24;

const columns: readonly Column[] = [
  { title: 'table' },
  ...figureColumns('rows and primary key', 'other indexes', 'sum'),
];

/**
 * Stores 100 sessions of 1,000 readings through the service. Prints the bytes per stored reading. The bytes include all
 * tables, all indexes and their free space.
 */
export async function measureStoredBytes(kind: DatabaseKind): Promise<void> {
  await withDatabase(kind, async (url) => {
    await send(url, await createKeyOf(url, 'bytes'));
    const folder = dirname(url.replace('sqlite:', ''));
    const tables = await withKnex(url, (knex) => (kind === 'mysql' ? measureMysql(knex) : measureSqlite(knex, folder)));
    const bytes = (count: number) => (count / readings).toFixed(1);
    const rows = tables
      .sort((a, b) => b.data + b.index - a.data - a.index)
      .slice(0, 4)
      .map(({ name, data, index }) => [name, bytes(data), bytes(index), bytes(data + index)]);
    const total = tables.reduce((sum, { data, index }) => sum + data + index, 0);
    console.log(`── ${titleOf(kind)}: ${bytes(total)} bytes per stored reading, all tables and indexes included\n`);
    console.log(`${textTable(columns, [rows])}\n`);
  });
}

function send(databaseUrl: string, key: string): Promise<void> {
  const next = createRequests(sessions).plain;
  return withBenchedServices(databaseUrl, 1, {}, async ([{ url }]) => {
    const request = createRequest(url, key);
    for (let left = readings; left > 0; left -= groupSize) {
      const lines = Array.from({ length: Math.min(groupSize, left) }, () => next().body);
      const { accepted } = await request<{ accepted: number }>('/v1/ingest/batch', `[${lines.join()}]`);
      if (accepted !== lines.length) throw new Error(`the service accepted ${accepted} of ${lines.length} readings`);
    }
  });
}

interface TableBytes {
  readonly name: string;
  readonly data: number;
  readonly index: number;
}

async function measureMysql(knex: Knex): Promise<TableBytes[]> {
  const tables: string[] = await knex('information_schema.tables')
    .whereRaw('table_schema = database()')
    .pluck('table_name');
  for (const name of tables) await knex.raw('analyze table ??', [name]);
  const [rows] = await knex.raw(
    `select table_name as name, data_length as data, index_length as other from information_schema.tables
     where table_schema = database()`,
  );
  return rows.map((row: Record<string, string | number>) => ({
    name: String(row['name']),
    data: Number(row['data']),
    index: Number(row['other']),
  }));
}

/** Returns the size of the files, because the driver has no statistics per table. */
async function measureSqlite(knex: Knex, folder: string): Promise<TableBytes[]> {
  await knex.raw('pragma wal_checkpoint(truncate)');
  const files = (await readdir(folder)).filter((name) => name.startsWith('state.db'));
  const sizes = await Promise.all(files.map(async (name) => (await stat(join(folder, name))).size));
  return [{ name: 'all', data: sizes.reduce((sum, size) => sum + size, 0), index: 0 }];
}
