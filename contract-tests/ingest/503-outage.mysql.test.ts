import { expect, test } from 'vitest';
import { temporaryDatabase } from '../../testkit/temporary-database.js';
import { startDatabaseProxy } from '../../testkit/proxy.js';
import { startTestService } from '../../testkit/service.js';

test('a database that restarts or stops responding causes 503s, and the process continues', async () => {
  const database = await temporaryDatabase();
  const { proxy, url } = await startDatabaseProxy(database.url);
  const service = await startTestService({ database: { ...database, url } });
  const { ingest, request } = service;
  await service.read({ heart_rate: 70 });
  for (const takeAway of [proxy.cut, proxy.hang]) {
    takeAway();
    const answers = await Promise.all([1, 2, 3].map((index) => ingest({ session_id: `away${index}`, heart_rate: 70 })));
    for (const { status, headers } of answers) expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    expect((await request('/readyz')).status).toBe(503);
    expect((await request('/healthz')).status).toBe(200);
    proxy.restore();
    await expect.poll(async () => (await request('/readyz')).status).toBe(200);
    expect((await ingest({ session_id: 'back', heart_rate: 70 })).status).toBe(200);
  }
  await service.close();
});
