import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';
import { openKnex } from '../../testkit/temporary-database.js';

test('an unexpected error of the database gives a 500 that reveals no internals', async () => {
  const { ingest, database, logs } = await startTestService({});
  const knex = openKnex(database.url);
  await knex.schema.renameTable('session_readings', 'readings_away');
  // Rejects inserts.
  await knex.raw('create view session_readings as select distinct * from readings_away');
  const answer = await ingest({ session_id: 'session-of-anna', subject_id: 'subject-anna', heart_rate: 70 });
  expect(answer.status).toBe(500);
  expect(answer.body).toMatchObject({ detail: 'Internal server error', code: 'internal_error' });
  expect(JSON.stringify(answer.body)).not.toContain('readings');
  const cause = logs
    .map((line) => JSON.parse(line))
    .find((line) => line.request_id === answer.body.request_id && line.err);
  expect(cause.err.message).toContain('readings');
  expect(logs.join('')).not.toContain('anna');
  await knex.raw('drop view session_readings');
  await knex.schema.renameTable('readings_away', 'session_readings');
  expect((await ingest({ heart_rate: 70 })).status).toBe(200);
});
