import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startFaultyProxy } from '../../../testkit/faulty-proxy.js';
import { runMain, startMain } from '../../../testkit/process.js';
import { runPython } from '../../../testkit/python.js';
import { root } from '../../../testkit/service.js';
import { temporaryDatabase } from '../../../testkit/temporary-database.js';

const client = fileURLToPath(new URL('packages/client-python', root));

test('the Python client passes the scenario of the clients, synchronously and asynchronously', async () => {
  const database = await temporaryDatabase();
  const env = { DATABASE_URL: database.url, WEBHOOK_ALLOW_LOOPBACK: '1' };
  const { url } = await startMain(env);
  const { stdout } = await runMain(['keys', 'create', '--account', 'scenario', '--tier', 'enterprise'], env);
  await runMain(['accounts', 'set', 'scenario', 'consent', 'record'], env);
  const settings = { SERVICE_URL: await startFaultyProxy(url), SERVICE_KEY: stdout.trim() };
  expect(await runPython(['-m', 'pytest', '--quiet'], client, settings)).toMatch(/\d+ passed in/);
}, 300_000);
