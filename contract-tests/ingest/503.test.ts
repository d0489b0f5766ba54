import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.js';
import { openDatabase } from '../../src/store/database.js';
import { startTestService } from '../../testkit/service.js';

test('a locked database gives 503 with Retry-After, stores nothing, and ingest works again after the release', async () => {
  const { ingest, request, read, database } = await startTestService({});
  await read({ session_id: 'warm', heart_rate: 70 });
  const knex = openDatabase(readConfig({ DATABASE_URL: database.url }).database);
  const locker = await knex.transaction();
  // Locks data that every ingest writes: the whole database on SQLite, the row of the session on MySQL.
  await locker('sessions').where({ session_id: 'warm' }).update({ touched_at_ms: 0 });
  const refused = await ingest({ session_id: 'warm', heart_rate: 90 });
  expect(refused).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
  expect(refused.headers.get('retry-after')).toBe('1');
  await locker.rollback();
  await knex.destroy();
  expect((await request('/v1/history?session_id=warm')).body.datapoints).toHaveLength(1);
  const back = await ingest({ session_id: 'warm', heart_rate: 90 });
  expect(back.status).toBe(200);
});
