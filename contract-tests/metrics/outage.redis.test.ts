import { expect, onTestFinished, test } from 'vitest';
import { readMetric } from '../../testkit/metrics.js';
import { startPrivateRedis } from '../../testkit/redis.js';
import { startTestService } from '../../testkit/service.js';
import { until } from '../../testkit/until.js';

test('a scrape reports that Redis is stopped, frozen or available again', async () => {
  const redis = await startPrivateRedis();
  onTestFinished(redis.stop);
  const { metricsUrl } = await startTestService({ env: { METRICS_PORT: '0', REDIS_URL: redis.url } });
  const becomes = (value: number) =>
    until(`the metric is ${value}`, async () => (await readMetric(metricsUrl, 'redis_up')) === value);
  await becomes(1);
  redis.freeze();
  await becomes(0);
  redis.thaw();
  await becomes(1);
  await redis.stop();
  await becomes(0);
});

test('without REDIS_URL, a scrape contains no value for Redis', async () => {
  const { metricsUrl } = await startTestService({ env: { METRICS_PORT: '0' } });
  expect(await readMetric(metricsUrl, 'redis_up')).toBeUndefined();
});
