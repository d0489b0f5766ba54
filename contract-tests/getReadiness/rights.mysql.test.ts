import { randomBytes } from 'node:crypto';
import mysql, { type RowDataPacket } from 'mysql2/promise';
import { expect, onTestFinished, test } from 'vitest';
import { runHere } from '../../testkit/command-line.js';
import { mysqlServerUrl } from '../../testkit/databases.js';
import { readMetric } from '../../testkit/metrics.js';
import { startTestService } from '../../testkit/service.js';
import { temporaryDatabase } from '../../testkit/temporary-database.js';
import { until } from '../../testkit/until.js';

/** Starts a service on a database of its own, as a user whose rights the test changes. */
async function startAsUser() {
  const database = await temporaryDatabase('mysql');
  const name = new URL(database.url).pathname.slice(1);
  const user = `u_${randomBytes(6).toString('hex')}`;
  const admin = await mysql.createConnection({ uri: mysqlServerUrl, multipleStatements: true });
  // A server with anonymous users prefers them for localhost.
  const accounts = ['%', 'localhost'].map((host) => `'${user}'@'${host}'`);
  const each = (toSql: (account: string) => string) => admin.query(accounts.map(toSql).join(';'));
  await each((account) => `create user ${account} identified by 'pw'`);
  await each((account) => `grant all on ${name}.* to ${account}`);
  const url = Object.assign(new URL(database.url), { username: user, password: 'pw' }).href;
  const service = await startTestService({ env: { METRICS_PORT: '0' }, database: { ...database, url } });
  onTestFinished(async () => {
    await each((account) => `drop user ${account}`);
    await admin.end();
  });
  return {
    ...service,
    url: service.url,
    databaseUrl: url,
    ready: async () => (await service.request('/readyz')).status,
    isWritable: () => readMetric(service.metricsUrl, 'database_writable'),
    /** Revokes a right, and ends the connections, which keep it. */
    async revoke(right: string) {
      await each((account) => `revoke ${right} on ${name}.* from ${account}`);
      const [rows] = await admin.query<RowDataPacket[]>(
        'select id from information_schema.processlist where user = ?',
        [user],
      );
      for (const { id } of rows) await admin.query('kill ?', [id]).catch(() => undefined);
    },
    grant: (right: string) => each((account) => `grant ${right} on ${name}.* to ${account}`),
  };
}

test.each(['insert', 'update', 'delete', 'insert, update, delete'])(
  'without the right to %s, requests get 503, the process is not ready with the cause, and needs no restart afterwards',
  async (right) => {
    const { clock, ready, isWritable, revoke, grant, ...service } = await startAsUser();
    await service.read({ heart_rate: 80 });
    await revoke(right);
    const statusesOf = async () => {
      const each = Array.from({ length: 12 }, (_, index) =>
        service.ingest({ session_id: `s${index}`, heart_rate: 81 }),
      );
      const all = [...(await Promise.all(each)), await service.ingest({ heart_rate: 81 })];
      return new Set(all.map(({ status }) => status));
    };
    expect(await service.request('/v1/subjects/p', { method: 'DELETE' })).toMatchObject({ status: 503 });
    if (right !== 'delete') expect(await statusesOf()).toEqual(new Set([503]));
    expect(await ready()).toBe(200);
    clock.advance(10);
    // A result counts for half a second.
    await until('the process is not ready', async () => (await ready()) === 503);
    const answer = await service.request('/readyz');
    expect(answer).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
    expect(answer.body.detail).toContain(
      'the server denies access to the user of DATABASE_URL: correct its password, or',
    );
    await until('the metric reports it', async () => (await isWritable()) === 0);
    expect((await service.request('/v1/state?session_id=s1')).status).toBe(200);
    await grant(right);
    await until('the process is ready again', async () => (await ready()) === 200);
    expect(await statusesOf()).toEqual(new Set([200]));
    await until('the metric reports it', async () => (await isWritable()) === 1);
  },
);

test('without the right to read, and with a wrong password, the cause is in the readiness and in doctor', async () => {
  const { ready, revoke, grant, databaseUrl, ...service } = await startAsUser();
  await revoke('select');
  const detail = expect.stringContaining('the server denies access to the user of DATABASE_URL');
  expect(await service.request('/readyz')).toMatchObject({ status: 503, body: { detail } });
  expect((await service.ingest({ heart_rate: 80 })).status).toBe(503);
  const wrong = databaseUrl.replace(':pw@', ':other@');
  for (const url of [databaseUrl, wrong]) {
    const { code, stdout } = await runHere(['doctor', '--json'], { DATABASE_URL: url });
    const remedy = expect.stringMatching(/denies access .*: correct its password, or grant it SELECT, INSERT/);
    expect([code, JSON.parse(stdout)]).toEqual([1, expect.arrayContaining([expect.objectContaining({ remedy })])]);
  }
  await grant('select');
  await until('the process is ready again', async () => (await ready()) === 200);
  expect((await service.ingest({ heart_rate: 80 })).status).toBe(200);
});

test('a process without requests notices after 10 s that it may not write', async () => {
  const { clock, ready, revoke, grant } = await startAsUser();
  expect(await ready()).toBe(200);
  await revoke('insert, update, delete');
  clock.advance(9);
  expect(await ready()).toBe(200);
  clock.advance(1);
  await until('the process is not ready', async () => (await ready()) === 503);
  await grant('insert, update, delete');
  await until('the process is ready again', async () => (await ready()) === 200);
});
