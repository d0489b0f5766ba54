import { startMain } from '../../testkit/process.js';
import { Clock, client, startTestService } from '../../testkit/service.js';
import { temporaryDatabase } from '../../testkit/temporary-database.js';
import { expect, test } from '../../testkit/test.js';

test('readings of new sessions through two services on one database are neither lost nor duplicated', async () => {
  const database = await temporaryDatabase();
  const clock = new Clock();
  const one = await startTestService({ database, clock });
  const two = await startTestService({ database, clock });
  const other = client(two.url, one.key, clock);
  const readings = Array.from({ length: 160 }, (_, index) => ({
    session_id: `s${index % 8}`,
    timestamp: clock.at(-200 + index),
    heart_rate: 60 + (index % 50),
  }));
  const first = await Promise.all(readings.map((reading, index) => (index % 2 ? one : other).read(reading)));
  // A resend through the other service is detected too.
  const resent = await Promise.all(readings.map((reading, index) => (index % 2 ? other : one).read(reading)));
  expect(resent).toEqual(first);
  for (let session = 0; session < 8; session++) {
    const { datapoints } = (await one.request(`/v1/history?session_id=s${session}`)).body;
    expect(datapoints).toHaveLength(20);
  }
});

test('processes that start concurrently on an empty database all start', async ({ database }) => {
  const services = await Promise.all([1, 2].map(() => startMain({ DATABASE_URL: database.url })));
  for (const { url } of services) expect((await fetch(`${url}/readyz`)).status).toBe(200);
  for (const service of services) expect((await service.stop('SIGTERM')).code).toBe(0);
});
