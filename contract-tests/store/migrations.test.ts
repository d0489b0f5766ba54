import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config.js';
import { openDatabase } from '../../src/store/database.js';
import { migrate } from '../../src/store/migrate.js';
import { migrations } from '../../src/store/migrations/index.js';
import { createTestDatabase } from '../support/databases.js';

test('triggers outlive the migration that lays them out anew', async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const knex = openDatabase(readConfig({ DATABASE_URL: database.url }).database);
  onTestFinished(() => knex.destroy());
  const before = migrations.findIndex(({ name }) => name === '008-clustered-triggers');
  for (const { run } of migrations.slice(0, before)) await run(knex);
  const rows = ['b', 'a'].flatMap((subject_id) =>
    ['grief', 'exams'].map((topic) => ({ account_id: 'ours', subject_id, topic, body: `${subject_id} ${topic}` })),
  );
  await knex('triggers').insert(rows);
  await migrate(knex);
  expect(await knex('triggers').orderBy(['subject_id', 'topic'])).toEqual(rows.toReversed());
});
