import { expect, onTestFinished, test } from 'vitest';
import { call, callsInDatabase, makeAccount } from '../support/calls.js';
import { createTestDatabase, mysqlServerUrl } from '../support/databases.js';
import { startProxy } from '../support/proxy.js';
import { client, startTestService } from '../support/service.js';

test('calls during a database outage are counted after the outage', async () => {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  const server = new URL(mysqlServerUrl);
  const proxy = await startProxy(server.hostname, Number(server.port || 3306));
  const throughProxy = new URL(database.url);
  throughProxy.host = `127.0.0.1:${proxy.port}`;
  const service = await startTestService({ database: { ...database, url: throughProxy.href } });
  const { key, accountId } = await makeAccount(service, 'ours', 'solo');
  const { request } = client(service.url, key, service.clock);
  const before = await call(request, 30);
  proxy.cut();
  // The key is cached for a short time. Afterwards, it cannot be verified without the database.
  const during = await call(request, 50);
  expect(new Set(during.map(({ status }) => status))).not.toContain(429);
  proxy.restore();
  const counted = [...before, ...during].filter(({ status }) => status === 404).length;
  await expect.poll(() => callsInDatabase(service, accountId).catch(() => 0), { timeout: 20_000 }).toBe(counted);
  console.log(`${counted - before.length} of ${during.length} calls were answered without the database, and counted`);
});
