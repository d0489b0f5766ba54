import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { listen } from '../../testkit/listen.js';
import { type Running, runMain, startMain } from '../../testkit/process.js';
import { temporaryDatabase } from '../../testkit/temporary-database.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';

test('requests are traced to the OTEL_ endpoint, within the caller’s trace and without ids of people', async () => {
  const collector = await startCollector();
  const database = await temporaryDatabase();
  const service = await startMain({ DATABASE_URL: database.url, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  await fetch(`${service.url}/v1/state?session_id=somebody`, { headers });
  // The service exports the remaining spans at shutdown.
  await service.stop('SIGTERM');
  const [span] = collector.spans();
  expect(span).toMatchObject({ name: 'GET /v1/state', traceId });
  expect(service.stderr()).toContain(`"trace_id":"${traceId}"`);
  expect(collector.text()).toContain('realtime-state-service');
  expect(collector.text()).not.toContain('somebody');
});

test('spans of the core are children of the span of their request', async () => {
  const collector = await startCollector();
  const { service, key } = await startTraced(collector.url);
  const send = (flags: string) => sendReading(service.url, key, `00-${traceId}-b7ad6b7169203331-${flags}`);
  await send('01');
  // The caller does not sample this request.
  await send('00');
  await service.stop('SIGTERM');
  const request = collector.spans().find(({ name }) => name === 'POST /v1/ingest');
  expect(request).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331' });
  const groups = collector.spans().filter(({ name }) => name === 'ingest group');
  expect(groups).toMatchObject([{ traceId, parentSpanId: request?.spanId }]);
});

test('the span of a group with several requests links to all of them', async () => {
  const collector = await startCollector();
  const { service, key } = await startTraced(collector.url);
  const count = 40;
  await Promise.all(Array.from({ length: count }, () => sendReading(service.url, key)));
  await service.stop('SIGTERM');
  const requests = collector.spans().filter(({ name }) => name === 'POST /v1/ingest');
  const groups = collector.spans().filter(({ name }) => name === 'ingest group');
  expect(groups.length).toBeLessThan(count);
  const served = groups.flatMap(({ parentSpanId, links = [] }) => [parentSpanId, ...links.map(({ spanId }) => spanId)]);
  expect(served.sort()).toEqual(requests.map(({ spanId }) => spanId).sort());
});

async function startTraced(collectorUrl: string): Promise<{ service: Running; key: string }> {
  const database = await temporaryDatabase();
  const env = { DATABASE_URL: database.url, OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl };
  const created = await runMain(['keys', 'create', '--account', 'traced', '--tier', 'enterprise'], env);
  return { service: await startMain(env), key: created.stdout.trim() };
}

async function sendReading(url: string, key: string, traceparent?: string): Promise<void> {
  const reading = { session_id: randomUUID(), timestamp: new Date().toISOString(), heart_rate: 70 };
  const headers = { 'X-Service-Key': key, 'Content-Type': 'application/json', ...(traceparent && { traceparent }) };
  const { status } = await fetch(`${url}/v1/ingest`, { method: 'POST', headers, body: JSON.stringify(reading) });
  expect(status).toBe(200);
}

interface Span {
  readonly name: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly links?: ReadonlyArray<{ readonly spanId: string }>;
  readonly traceId: string;
}

async function startCollector(): Promise<{ url: string; spans(): Span[]; text(): string }> {
  const texts: string[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    texts.push(text);
    response.setHeader('Content-Type', 'application/json');
    response.end('{}');
  });
  const url = await listen(server);
  const exported = () => texts.flatMap((text) => JSON.parse(text).resourceSpans);
  return {
    url,
    spans: () => exported().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }: { spans: Span[] }) => spans)),
    text: () => texts.join('\n'),
  };
}
