import mysql from 'mysql2/promise';
import { expect, test } from 'vitest';
import { atEndOfFile } from '../../testkit/at-end-of-file.js';
import { startPrivateMariadb } from '../../testkit/mariadb.js';
import { freePorts } from '../../testkit/program.js';
import { startTestService } from '../../testkit/service.js';
import { until } from '../../testkit/until.js';

test('while the database is stopped or frozen, both ports name the same cause, and lines of the log name the remedy', async () => {
  const [port = 0] = await freePorts(1);
  const server = await startPrivateMariadb(port);
  atEndOfFile(server.remove);
  const connection = await mysql.createConnection({ uri: server.url });
  await connection.query('create database state');
  await connection.end();
  const database = { url: `${server.url}/state`, drop: async () => undefined };
  const service = await startTestService({ env: { METRICS_PORT: '0' }, database });
  const check = async () => {
    const { status, body } = await service.request('/readyz');
    const inside = await fetch(new URL('/readyz', service.metricsUrl));
    return { status, detail: body.detail, inside: [inside.status, await inside.json()] };
  };
  const isReady = async () => (await check()).status === 200;
  const advice = 'check the address of the server, and that it is running';
  for (const [fault, undo, cause] of [
    [server.freeze, server.thaw, 'the database does not respond'],
    [server.kill, server.start, `the database does not respond: ${advice}`],
  ] as const) {
    await until('the process is ready', isReady);
    await fault();
    const expected = {
      ...{ status: 503, detail: `Service unavailable: ${cause}` },
      inside: [503, { status: 'unavailable', cause }],
    };
    await until('both ports name the cause', async () => JSON.stringify(await check()) === JSON.stringify(expected));
    expect((await service.ingest({ heart_rate: 70 })).status).toBe(503);
    await undo();
  }
  const lines = service.logs.map((line) => JSON.parse(line)).filter(({ err }) => err?.code === 'ECONNREFUSED');
  expect(new Set(lines.map(({ remedy }) => remedy))).toEqual(new Set([advice]));
});
