import type { Knex } from 'knex';
import mysql from 'mysql2/promise';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config/config.js';
import { openDatabase } from '../../src/store/database.js';
import { atEndOfFile } from '../../testkit/at-end-of-file.js';
import { runHere } from '../../testkit/command-line.js';
import { databaseKind, type TestDatabase } from '../../testkit/databases.js';
import { startPrivateMariadb } from '../../testkit/mariadb.js';
import { readMetric } from '../../testkit/metrics.js';
import { freePorts } from '../../testkit/program.js';
import { startTestService } from '../../testkit/service.js';
import { openKnex, temporaryDatabase } from '../../testkit/temporary-database.js';
import { until } from '../../testkit/until.js';

/** A database whose writes can be refused while its queries succeed. */
interface Refusable extends TestDatabase {
  refuseWrites(): Promise<void>;
  allowWrites(): Promise<void>;
  /** What the readiness check says about the refused writes. */
  readonly cause: string;
}

/** SQLite: another process holds the write lock. */
async function createLockable(): Promise<Refusable> {
  const database = await temporaryDatabase('sqlite');
  const knex = openDatabase(readConfig({ DATABASE_URL: database.url }).database);
  let locker: Knex.Transaction | undefined;
  const allowWrites = async () => {
    if (locker?.isCompleted() === false) await locker.rollback();
  };
  onTestFinished(async () => {
    await allowWrites();
    await knex.destroy();
  });
  return {
    ...database,
    cause: 'another process has locked the database',
    async refuseWrites() {
      locker = await knex.transaction();
      await locker('webhooks').where({ webhook_id: '' }).delete();
    },
    allowWrites,
  };
}

let shared: ReturnType<typeof startServer> | undefined;

async function startServer() {
  const [port = 0] = await freePorts(1);
  const server = await startPrivateMariadb(port);
  atEndOfFile(server.remove);
  return server;
}

/** MariaDB: `read_only`, for a user without the privilege to write nevertheless. */
async function createReadOnly(): Promise<Refusable> {
  const server = await (shared ??= startServer());
  const connection = await mysql.createConnection({ uri: server.url, multipleStatements: true });
  onTestFinished(() => connection.end());
  await connection.query(
    "set global read_only = 0; create or replace database state; create or replace user plain identified by 'pw'; grant all on state.* to plain",
  );
  return {
    url: `mysql://plain:pw@${new URL(server.url).host}/state`,
    drop: async () => undefined,
    cause: 'the database is read-only',
    refuseWrites: async () => void (await connection.query('set global read_only = 1')),
    allowWrites: async () => void (await connection.query('set global read_only = 0')),
  };
}

async function startRefusable() {
  const database = await (databaseKind === 'sqlite' ? createLockable() : createReadOnly());
  const service = await startTestService({ env: { METRICS_PORT: '0' }, database });
  const ready = async () => (await service.request('/readyz')).status;
  const metrics = async () =>
    Promise.all(['database_up', 'database_writable', 'ready'].map((name) => readMetric(service.metricsUrl, name)));
  const readings = openKnex(database.url);
  return { ...service, database, ready, metrics, allRows: async () => readings('session_readings').select() };
}

test('a process whose writes fail for 10 s is not ready, names the cause, and becomes ready again without requests', async () => {
  const { database, clock, ready, metrics, ...service } = await startRefusable();
  await service.read({ heart_rate: 80 });
  await database.refuseWrites();
  expect((await service.ingest({ heart_rate: 81 })).status).toBe(503);
  clock.advance(9);
  expect(await ready()).toBe(200);
  expect(await metrics()).toEqual([1, 1, 1]);
  clock.advance(1);
  await until('the process is not ready', async () => (await ready()) === 503);
  const answer = await service.request('/readyz');
  expect(answer).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
  expect(answer.body.detail).toContain(`Service unavailable: the database accepts no writes: ${database.cause}`);
  await until('the metrics report it', async () => (await metrics()).join() === '1,0,0');
  const metricsAnswer = await fetch(new URL('/readyz', service.metricsUrl));
  expect([metricsAnswer.status, await metricsAnswer.json()]).toEqual([
    503,
    { status: 'unavailable', alerts_lag_seconds: 0, cause: expect.stringContaining(database.cause) },
  ]);
  const logged = service.logs.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'service_unavailable');
  expect(logged.at(-1).err).toContain(database.cause);
  expect((await service.request('/v1/state?session_id=s1')).status).toBe(200);
  await database.allowWrites();
  await until('the process is ready again', async () => (await ready()) === 200);
  await until('the metrics report it', async () => (await metrics()).join() === '1,1,1');
  expect((await service.ingest({ heart_rate: 81 })).status).toBe(200);
});

test('a write that succeeds between two failures keeps the process ready', async () => {
  const { database, clock, ready, ...service } = await startRefusable();
  await database.refuseWrites();
  expect((await service.ingest({ heart_rate: 80 })).status).toBe(503);
  clock.advance(9);
  await database.allowWrites();
  await service.read({ heart_rate: 80 });
  await database.refuseWrites();
  expect((await service.ingest({ heart_rate: 81 })).status).toBe(503);
  clock.advance(9);
  expect(await ready()).toBe(200);
  await database.allowWrites();
});

test('a failed write of an idle process does not make it unready once writes succeed again', async () => {
  const { database, clock, ready, ...service } = await startRefusable();
  await database.refuseWrites();
  expect((await service.ingest({ heart_rate: 80 })).status).toBe(503);
  await database.allowWrites();
  clock.advance(60);
  expect(await ready()).toBe(200);
});

test('doctor finds that the database accepts no writes, and leaves nothing behind when it does', async () => {
  const { database, read, allRows } = await startRefusable();
  await read({ heart_rate: 80 });
  const before = await allRows();
  const findDatabase = async () => {
    const { stdout } = await runHere(['doctor', '--json'], { DATABASE_URL: database.url });
    return JSON.parse(stdout).find(({ what }: { what: string }) => what === 'database');
  };
  const found = 'responds and accepts writes, schema is current';
  expect(await findDatabase()).toEqual({ what: 'database', found, ok: true });
  expect(await allRows()).toEqual(before);
  await database.refuseWrites();
  expect(await findDatabase()).toMatchObject({ remedy: expect.stringContaining(database.cause), ok: false });
  await database.allowWrites();
});
