import { expect, test } from 'vitest';
import { runHere } from '../../testkit/command-line.js';
import { startTestService } from '../../testkit/service.js';
import { openKnex, temporaryDatabase } from '../../testkit/temporary-database.js';
import { until } from '../../testkit/until.js';

test('without a table, requests that need it get 503, and the process is not ready until the table is there again', async () => {
  const service = await startTestService({ database: await temporaryDatabase() });
  const { clock, database, request } = service;
  const knex = openKnex(database.url);
  const ready = async () => (await request('/readyz')).status;
  const feedback = () => service.post('/v1/feedback', { session_id: 's1', timestamp: clock.at(), stress: 5 });
  await service.read({ heart_rate: 80 });
  await knex.schema.dropTable('feedback');
  const refused = await feedback();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  clock.advance(10);
  // Other statements still succeed, but do not hide the fault.
  await service.read({ heart_rate: 81 });
  const answer = await request('/readyz');
  expect(answer).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
  expect(answer.body.detail).toContain('a table or column is missing: run "migrate --repair"');
  const logged = service.logs.map((line) => JSON.parse(line)).find(({ remedy }) => remedy !== undefined);
  expect(logged.remedy).toBe('a table or column is missing: run "migrate --repair"');
  expect((await runHere(['migrate', '--repair'], { DATABASE_URL: database.url })).stderr).toContain(
    'Created table feedback.',
  );
  await until('the process is ready again', async () => (await ready()) === 200);
  expect((await feedback()).status).toBe(200);
});

test('readiness checks write one row if nothing was committed for 10 s, and none before', async () => {
  const database = await temporaryDatabase('sqlite');
  const service = await startTestService({ database });
  const knex = openKnex(database.url);
  // Changes with each commit of another connection.
  const readVersion = async () => (await knex.raw('pragma data_version'))[0].data_version;
  const hasWritten = async (seconds: number) => {
    const before = await readVersion();
    service.clock.advance(seconds);
    for (let check = 0; check < 3; check++) {
      await new Promise((resolve) => setTimeout(resolve, 600));
      expect((await service.request('/readyz')).status).toBe(200);
    }
    return (await readVersion()) !== before;
  };
  await service.read({ heart_rate: 80 });
  // The service stores the last use of the key, and purges.
  await hasWritten(61);
  expect([await hasWritten(9), await hasWritten(1), await hasWritten(9), await hasWritten(1)]).toEqual([
    ...[false, true, false, true],
  ]);
  service.clock.advance(9);
  await service.read({ heart_rate: 80 });
  await hasWritten(0);
  expect([await hasWritten(9), await hasWritten(1)]).toEqual([false, true]);
  expect(await knex('session_readings').where({ account: 'try-write' })).toEqual([]);
});

test('an error that depends on the values of a request is a 500 and does not end the readiness', async () => {
  const service = await startTestService({ database: await temporaryDatabase() });
  const knex = openKnex(service.database.url);
  await service.read({ heart_rate: 80 });
  // A stored row that no version writes.
  await knex('sessions').update({ body: 'x', version: 'other' });
  expect((await service.ingest({ heart_rate: 81 })).status).toBe(500);
  service.clock.advance(60);
  expect((await service.request('/readyz')).status).toBe(200);
});
