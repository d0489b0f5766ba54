import { expect, test } from 'vitest';
import { readMetric } from '../../testkit/metrics.js';
import { startDatabaseProxy } from '../../testkit/proxy.js';
import { startTestService } from '../../testkit/service.js';
import { temporaryDatabase } from '../../testkit/temporary-database.js';
import { until } from '../../testkit/until.js';
import { storeFailed } from '../../testkit/webhooks.js';

/** Metrics that an outage of the database must not remove, besides the time of the last purge. */
const remaining = ['webhook_deliveries_failed', 'log_lines_dropped_total'];

test.each(['cut', 'hang'] as const)(
  'while the database connection is %s, a scrape reports it and keeps the last values',
  async (fault) => {
    const direct = await temporaryDatabase('mysql');
    const { proxy, url } = await startDatabaseProxy(direct.url);
    const service = await startTestService({ env: { METRICS_PORT: '0' }, database: { ...direct, url } });
    const read = (name: string) => readMetric(service.metricsUrl, name);
    const readAll = () => Promise.all(remaining.map(read));
    await storeFailed(service, [{ webhookId: 'wh_1' }, { webhookId: 'wh_1' }]);
    service.clock.advance(5);
    await until('a purge has started', async () => (await read('last_purge_timestamp_seconds')) !== undefined);
    expect(await readAll()).toEqual([2, 0]);
    proxy[fault]();
    service.clock.advance(5);
    await until('the outage is reported', async () => (await read('database_up')) === 0);
    expect(await read('ready')).toBe(0);
    expect(await readAll()).toEqual([2, 0]);
    expect(await read('last_purge_timestamp_seconds')).toBeDefined();
    // This figure would be wrong, so the scrape omits it.
    expect(await read('webhook_due_age_seconds')).toBeUndefined();
    expect((await fetch(new URL('/healthz', service.metricsUrl))).status).toBe(200);
    proxy.restore();
    proxy.cut();
    proxy.restore();
    await until('the process is ready again', async () => (await read('ready')) === 1);
  },
);
