import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.js';
import { openDatabase } from '../../src/store/database.js';
import { startTestService } from '../support/service.js';

test('a pending migration makes the readiness probe fail and the liveness probe succeed', async () => {
  const { request, database } = await startTestService({});
  const knex = openDatabase(readConfig({ DATABASE_URL: database.url }).database);
  await knex('schema_migrations').delete();
  await knex.destroy();
  const answer = await request('/readyz');
  expect(answer).toMatchObject({ status: 503, body: { code: 'service_unavailable', detail: 'Service unavailable' } });
  expect(answer.headers.get('retry-after')).toBe('1');
  expect((await request('/healthz')).status).toBe(200);
});
