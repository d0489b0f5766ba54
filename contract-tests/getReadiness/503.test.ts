import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';
import { openKnex } from '../../testkit/temporary-database.js';

test('a pending migration makes the readiness probe fail and the liveness probe succeed', async () => {
  const { request, database } = await startTestService({});
  const knex = openKnex(database.url);
  await knex('schema_migrations').delete();
  const answer = await request('/readyz');
  expect(answer).toMatchObject({
    status: 503,
    body: { code: 'service_unavailable', detail: 'Service unavailable: the schema is absent or old: run migrate' },
  });
  expect(answer.headers.get('retry-after')).toBe('1');
  expect((await request('/healthz')).status).toBe(200);
});

test('from the first moment of a shutdown, the readiness probe fails and all other requests are served', async () => {
  const service = await startTestService({});
  service.leave();
  expect(await service.request('/readyz')).toMatchObject({
    status: 503,
    body: { detail: 'Service unavailable: the process is shutting down' },
  });
  expect((await service.request('/healthz')).status).toBe(200);
  const ingested = await service.ingest({ heart_rate: 70 });
  expect([ingested.status, ingested.headers.get('connection')]).toEqual([200, 'close']);
});
