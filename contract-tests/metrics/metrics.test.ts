import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import contract from '../../generated/openapi.json' with { type: 'json' };
import { createRule, evaluateNow, stress } from '../../testkit/alerts.js';
import { readMetric } from '../../testkit/metrics.js';
import { startReceiver } from '../../testkit/receiver.js';
import { startTestService } from '../../testkit/service.js';
import { storyEnv } from '../../testkit/story.js';
import { attempted, deliveriesOf, register, startStory, storeDue, storeFailed } from '../../testkit/webhooks.js';

test('metrics cover requests, groups, attempts, queues and the event loop', async () => {
  const service = await startTestService({ env: { METRICS_PORT: '0', WORKER: '1' } });
  const receiver = await startReceiver();
  await service.post('/webhooks/register', { url: receiver.url, events: ['state_change'] });
  await service.read({ heart_rate: 60, tone: 'calm' });
  service.clock.advance(1);
  await service.read({ heart_rate: 130, tone: 'hostile' });
  await receiver.until(1);
  const text = await scrapeUntil(service.metricsUrl, 'state_service_webhook_attempt_duration_seconds_count');
  expect(text).toContain('state_service_http_request_duration_seconds_count{operation="ingest",status="200"} 2');
  expect(text).toContain('state_service_ingest_group_size_count 2');
  expect(text).toContain('state_service_ingest_queue_depth 0');
  expect(text).toMatch(/state_service_webhook_outbox_age_seconds \d/);
  expect(text).toContain('state_service_webhook_attempt_duration_seconds_count{outcome="delivered"} 1');
  expect(text).toContain('nodejs_eventloop_lag_seconds');
  expect(text).toContain(`state_service_build_info{version="${contract.info.version}",node="${process.version}"} 1`);
  expect(text).toContain('state_service_log_lines_dropped_total 0');
  expect(text).not.toMatch(/\bs1\b|sk_/);
});

test('a webhook that becomes failed, and one that is active again, are counted and logged', async () => {
  const env = { ...storyEnv, METRICS_PORT: '0', WORKER: '1', LOG_LEVEL: 'info' };
  const service = await startTestService({ env });
  const receiver = await startReceiver();
  receiver.answer(500);
  const { id } = await register(service, receiver.url);
  await (await startStory(service)).change();
  const deliveries = deliveriesOf(service, id);
  for (const [index, seconds] of [0, 1, 4].entries()) {
    service.clock.advance(seconds);
    await attempted(deliveries, index + 1);
  }
  const changes = 'state_service_webhook_status_changes_total';
  const failed = await scrapeUntil(service.metricsUrl, `${changes}{status="failed"} 1`);
  expect(failed).toContain(`${changes}{status="active"} 0`);
  receiver.answer(204);
  service.clock.advance(16);
  const active = await scrapeUntil(service.metricsUrl, `${changes}{status="active"} 1`);
  expect(active).toContain(`${changes}{status="disabled"} 0`);
  const logged = service.logs.map((line) => JSON.parse(line)).filter((it) => it.webhookId === id);
  expect(logged.map(({ msg, previous, status }) => [msg, previous, status])).toEqual([
    ['a webhook is failed', 'active', 'failed'],
    ['a webhook is active again', 'failed', 'active'],
  ]);
});

test('metrics count pending and failed deliveries of all accounts, at most every 5 s', async () => {
  const service = await startTestService({ env: { METRICS_PORT: '0' } });
  const scrape = async () => (await fetch(service.metricsUrl ?? '')).text();
  await storeFailed(service, [{ webhookId: 'wh_1' }, { webhookId: 'wh_1' }]);
  const unsettled = { reason: null, settledAtMs: null } as const;
  await storeFailed({ ...service, accountId: 'another' }, [
    { webhookId: 'wh_2', status: 'due', ...unsettled },
    { webhookId: 'wh_2', status: 'queued', ...unsettled },
    { webhookId: 'wh_2', status: 'queued', ...unsettled },
    { webhookId: 'wh_2', status: 'delivered', reason: null },
  ]);
  expect(await scrape()).toMatch(
    /^state_service_webhook_deliveries_pending 3$[^]*^state_service_webhook_deliveries_failed 2$/m,
  );
  await storeFailed(service, [{ webhookId: 'wh_1' }]);
  expect(await scrape()).toContain('state_service_webhook_deliveries_failed 2\n');
  service.clock.advance(5);
  expect(await scrape()).toContain('state_service_webhook_deliveries_failed 3\n');
});

test('metrics show deliveries in flight, their slots, and how long the oldest due delivery has been waiting', async () => {
  const service = await startTestService({ env: { METRICS_PORT: '0', WORKER: '1' } });
  const receiver = await startReceiver();
  const responses: ServerResponse[] = [];
  receiver.answer((_, response) => void responses.push(response));
  const { id } = await register(service, receiver.url);
  await service.post(`/webhooks/${id}/test`);
  await receiver.until(1);
  const busy = await scrapeUntil(service.metricsUrl, 'state_service_webhook_slots_in_use 1\n');
  expect(busy).toMatch(/^state_service_webhook_deliveries_in_flight\{age_seconds="(0-1|1-5|5-10)"\} 1$/m);
  expect(busy).toContain('state_service_webhook_due_age_seconds 0\n');
  for (const response of responses) response.writeHead(204).end();
  const idle = await scrapeUntil(service.metricsUrl, 'state_service_webhook_slots_in_use 0\n');
  expect(idle).not.toMatch(/^state_service_webhook_deliveries_in_flight\{.*\} [^0]/m);
});

test('the age of the oldest due delivery includes all accounts, and a process without a worker reports no slots', async () => {
  const service = await startTestService({ env: { METRICS_PORT: '0' } });
  await storeDue(service, 'wh_1', 1);
  service.clock.advance(90);
  await storeDue({ ...service, accountId: 'another' }, 'wh_2', 1, () => '1'.repeat(16));
  const text = await (await fetch(service.metricsUrl ?? '')).text();
  expect(text).toContain('state_service_webhook_due_age_seconds 90\n');
  expect(text).not.toMatch(/^state_service_webhook_slots_in_use \d/m);
});

test('metric names have one prefix and follow the conventions of Prometheus', async () => {
  const service = await startTestService({ env: { METRICS_PORT: '0', WORKER: '1' } });
  const text = await (await fetch(service.metricsUrl ?? '')).text();
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type]) => ({ name, type }));
  // The other two prefixes are those of Prometheus' own library for Node.
  expect(types.filter(({ name }) => !/^(state_service|process|nodejs)_[a-z0-9_]+$/.test(name))).toEqual([]);
  const own = types.filter(({ name }) => name.startsWith('state_service_'));
  expect(own.length).toBeGreaterThan(15);
  expect(own.filter(({ name, type }) => (type === 'counter') !== name.endsWith('_total'))).toEqual([]);
  const gauges = own.filter(({ type }) => type === 'gauge').map(({ name }) => name);
  // Both labels are reserved for histograms and summaries.
  expect(gauges.filter((name) => new RegExp(`^${name}\\{[^}]*(le|quantile)="`, 'm').test(text))).toEqual([]);
});

test('metrics count open streams and the lookups of each cache', async () => {
  const service = await startTestService({ env: { METRICS_PORT: '0' } });
  const scrape = async () => (await fetch(service.metricsUrl ?? '')).text();
  for (const second of [1, 2, 3]) {
    await service.ingest({ heart_rate: 70, subject_id: 'p1' });
    service.clock.advance(second);
  }
  const text = await scrape();
  for (const cache of ['keys', 'sessions', 'subjects'])
    expect(text).toMatch(
      new RegExp(`^state_service_cache_lookups_total\\{cache="${cache}",result="hit"\\} [1-9]`, 'm'),
    );
  expect(text).toContain('state_service_cache_lookups_total{cache="keys",result="miss"} 1\n');
  expect(text).toContain('state_service_streams_open 0\n');
  const leaving = new AbortController();
  await fetch(`${service.url}/v1/stream`, { headers: { 'X-Service-Key': service.key }, signal: leaving.signal });
  expect(await scrape()).toContain('state_service_streams_open 1\n');
  leaving.abort();
  await expect.poll(scrape).toContain('state_service_streams_open 0\n');
});

test('rate limit rejections are counted by policy', async () => {
  const service = await startTestService({ env: { METRICS_PORT: '0', LIMIT_SESSION_REQUESTS_PER_MINUTE: '1' } });
  for (const status of [200, 429]) expect((await service.ingest({ heart_rate: 70 })).status).toBe(status);
  const text = await (await fetch(service.metricsUrl ?? '')).text();
  expect(text).toContain('state_service_rate_limit_refusals_total{policy="session"} 1');
});

test("the service's port serves no metrics, and the metrics port serves only metrics and probes", async () => {
  const service = await startTestService({ env: { METRICS_PORT: '0' } });
  expect((await service.request('/metrics')).status).toBe(404);
  const statusOf = async (path: string) => (await fetch(new URL(path, service.metricsUrl))).status;
  const paths = ['/healthz', '/readyz', '/metrics', '/v1/state', '/docs/', '/', '/toString'];
  expect(await Promise.all(paths.map(statusOf))).toEqual([200, 200, 200, 404, 404, 404, 404]);
});

/** Polls until the metric appears. The worker records an attempt only after the receiver has responded. */
async function scrapeUntil(url: string | undefined, name: string): Promise<string> {
  for (;;) {
    const text = await (await fetch(url ?? '')).text();
    if (text.includes(name)) return text;
  }
}

test('the lag of alert rules is that of the person who has been due longest, of all accounts with rules', async () => {
  const service = await startTestService({ env: { METRICS_PORT: '0' } });
  await stress(service, 'without-rules', 0);
  await createRule(service, { condition: 'stressed', minutes: 5 });
  const readyUrl = service.metricsUrl?.replace('metrics', 'readyz') ?? '';
  expect(await (await fetch(readyUrl)).json()).toEqual({ status: 'ready', alerts_lag_seconds: 0 });
  await stress(service, 'anna', 1);
  service.clock.advance(30);
  expect(await readMetric(service.metricsUrl, 'alerts_lag_seconds')).toBe(90);
  await evaluateNow(service);
  expect(await readMetric(service.metricsUrl, 'alerts_lag_seconds')).toBe(0);
});
