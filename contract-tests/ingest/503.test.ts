import { expect, test } from 'vitest';
import { connectPhone } from '../../testkit/phone.js';
import { startTestService } from '../../testkit/service.js';
import { openKnex } from '../../testkit/temporary-database.js';

test('a locked database gives 503 with Retry-After, stores nothing, and ingest works again after the release', async () => {
  const service = await startTestService({});
  const { ingest, request, read, database } = service;
  await read({ session_id: 'warm', heart_rate: 70 });
  const phone = await connectPhone(service, 'generic');
  await phone.post({ heart_rate: 70 });
  service.clock.advance(1);
  const knex = openKnex(database.url);
  const locker = await knex.transaction();
  // Locks data that every ingest writes: the whole database on SQLite, the rows of the sessions on MySQL.
  await locker('sessions').update({ touched_at_ms: 0 });
  const [refused, post] = await Promise.all([
    ingest({ session_id: 'warm', heart_rate: 90 }),
    phone.post({ heart_rate: 90 }),
  ]);
  expect(post).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
  expect(refused).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
  expect(refused.headers.get('retry-after')).toBe('1');
  await locker.rollback();
  expect((await request('/v1/history?session_id=warm')).body.datapoints).toHaveLength(1);
  const back = await ingest({ session_id: 'warm', heart_rate: 90 });
  expect(back.status).toBe(200);
  expect((await phone.post({ heart_rate: 90 })).body.stored).toBe(1);
});
