import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.js';
import { openDatabase } from '../../src/store/database.js';
import { startTestService } from '../support/service.js';

const marker = 'xylophone-quokka-marker';
const tables = [
  'accounts',
  'api_keys',
  'sessions',
  'readings',
  'subjects',
  'triggers',
  'erasures',
  'schema_migrations',
];

/** Everything that is stored, as text; on SQLite the bytes of its files too, free pages included. */
async function everythingStored(databaseUrl: string): Promise<string> {
  const config = readConfig({ DATABASE_URL: databaseUrl }).database;
  const knex = openDatabase(config);
  const rows = await Promise.all(tables.map((table) => knex(table).select()));
  await knex.destroy();
  if (config.kind === 'mysql') return JSON.stringify(rows);
  const folder = dirname(config.file);
  const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'latin1')));
  return JSON.stringify(rows) + files.join('');
}

test('no word of a message is stored, logged or answered, whether the reading is taken or refused', async () => {
  const { ingest, request, database, logs } = await startTestService({});
  const turn = { user_message: `My exam is tomorrow, ${marker}`, ai_response: `Good luck, ${marker}` };
  const answers = [
    await ingest({ subject_id: 'anna', heart_rate: 90, ...turn }),
    await ingest({ subject_id: 'anna', heart_rate: 90, ...turn }),
    await ingest({ heart_rate: 90, ...turn }),
    await ingest({ subject_id: 'anna', heart_rate: 'x', ...turn }),
    await ingest({ subject_id: 'anna', ...turn }),
    await ingest({ subject_id: 'bert', heart_rate: 91, ...turn }),
    await ingest({ subject_id: 'anna', heart_rate: 90, ...turn, user_message: [marker] }),
    await request('/v1/state?session_id=s1'),
    await request('/v1/history?session_id=s1'),
    await request('/v1/triggers?subject_id=anna'),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 422, 422, 400, 422, 422, 200, 200, 200]);
  const stored = await everythingStored(database.url);
  expect(stored).toContain('exams');
  for (const text of [stored, logs.join(''), JSON.stringify(answers.map(({ body }) => body))])
    expect(text.includes(marker)).toBe(false);
});

test('the check above would find a text that is stored', async () => {
  const { read, database } = await startTestService({});
  await read({ session_id: marker, heart_rate: 70 });
  expect(await everythingStored(database.url)).toContain(marker);
});
