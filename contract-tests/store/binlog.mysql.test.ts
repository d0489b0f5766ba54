import { join } from 'node:path';
import mysql from 'mysql2/promise';
import { expect, onTestFinished, test } from 'vitest';
import { runHere } from '../../testkit/command-line.js';
import { settingsFor } from '../../testkit/databases.js';
import { startPrivateMariadb } from '../../testkit/mariadb.js';
import { runMain } from '../../testkit/process.js';
import { freePorts } from '../../testkit/program.js';
import { temporaryFolder } from '../../testkit/temporary-folder.js';

const remedy = 'binlog_format of the server is STATEMENT: set it to ROW, then restart the service';
const code = 'ER_BINLOG_STMT_MODE_AND_ROW_ENGINE';

test('a server that logs statements is named in one sentence at start, by doctor and by commands', async () => {
  const [port = 0] = await freePorts(1);
  const server = await startPrivateMariadb(port, ['--log-bin=log', '--binlog-format=STATEMENT']);
  onTestFinished(server.remove);
  const onServer = async (sql: string) => {
    const connection = await mysql.createConnection({ uri: server.url });
    await connection.query(sql).finally(() => connection.end());
  };
  await onServer('create database state');
  const env = { ...settingsFor(`${server.url}/state`), PORT: '0' };
  const failed = { code: 1, stdout: '', stderr: `error: DATABASE_URL: ${remedy} (${code})\n` };
  expect(await runHere(['migrate'], env)).toEqual(failed);

  await onServer('set global binlog_format = ROW');
  expect((await runHere(['keys', 'create', '--account', 'acme'], env)).code).toBe(0);
  const file = join(await temporaryFolder(), 'copy.sql');
  await runHere(['backup', file], env);
  await onServer('set global binlog_format = STATEMENT');
  for (const command of ['serve', 'deliver']) expect(await runMain([command], env)).toEqual(failed);
  for (const args of [['keys', 'create', '--account', 'acme'], ['accounts', 'set', 'acme', 'tier', 'solo'], ['purge']])
    expect(await runHere(args, env)).toEqual(failed);
  expect((await runHere(['doctor'], env)).stdout).toContain(`problem  database: ${code}\n         remedy: ${remedy}\n`);
  expect((await runHere(['backup', `${file}.2`], env)).code).toBe(0);
});
