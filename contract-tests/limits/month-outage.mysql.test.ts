import { call, callsInDatabase, makeAccount } from '../../testkit/calls.js';
import { startDatabaseProxy } from '../../testkit/proxy.js';
import { client, startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { until } from '../../testkit/until.js';

test('calls during a database outage are counted after the outage', async ({ database }) => {
  const { proxy, url } = await startDatabaseProxy(database.url);
  const service = await startTestService({ database: { ...database, url } });
  const { key, accountId } = await makeAccount(service, 'ours', 'solo');
  const { request } = client(service.url, key, service.clock);
  const isAnswered = ({ status }: { status: number }) => status === 404;
  const answered = { before: 0, during: 0 };
  // During the outage, a key works for one second, while it is cached. On a slow machine, the test may need several
  // tries.
  await until('calls during an outage', async () => {
    answered.before += (await call(request, 30)).filter(isAnswered).length;
    proxy.cut();
    const during = await call(request, 50);
    proxy.restore();
    expect(new Set(during.map(({ status }) => status))).not.toContain(429);
    answered.during += during.filter(isAnswered).length;
    return answered.during > 0;
  });
  const counted = answered.before + answered.during;
  await expect.poll(() => callsInDatabase(service, accountId).catch(() => 0)).toBe(counted);
});
