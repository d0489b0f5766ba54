import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { listen } from '../../testkit/listen.js';
import { migratedDatabase } from '../../testkit/temporary-database.js';
import { startProcessWithKey } from './started.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';

test('requests are traced to the OTEL_ endpoint, within the caller’s trace, without ids of people, and with the spans of the core', async () => {
  const collector = await startCollector();
  const database = await migratedDatabase();
  const env = { DATABASE_URL: database.url, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const { service, key } = await startProcessWithKey(env);
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  await fetch(`${service.url}/v1/state?session_id=somebody`, { headers });
  await sendReading(service.url, key, headers.traceparent);
  // The caller does not sample this request.
  await sendReading(service.url, key, `00-${traceId}-b7ad6b7169203331-00`);
  const count = 40;
  await Promise.all(Array.from({ length: count }, () => sendReading(service.url, key)));
  // The service exports the remaining spans at shutdown.
  await service.stop('SIGTERM');
  expect(collector.spans()).toContainEqual(expect.objectContaining({ name: 'GET /v1/state', traceId }));
  expect(service.stderr()).toContain(`"trace_id":"${traceId}"`);
  expect(collector.text()).toContain('realtime-state-service');
  expect(collector.text()).not.toContain('somebody');

  const named = (name: string) => collector.spans().filter((it) => it.name === name);
  const [request, ...others] = named('POST /v1/ingest').filter((it) => it.traceId === traceId);
  expect([request, others]).toMatchObject([{ parentSpanId: 'b7ad6b7169203331' }, []]);
  const groups = named('ingest group');
  expect(groups.filter((it) => it.traceId === traceId)).toMatchObject([{ parentSpanId: request?.spanId }]);
  // The span of a group with several requests links to all of them.
  expect(groups.length).toBeLessThan(count);
  const served = groups.flatMap(({ parentSpanId, links = [] }) => [parentSpanId, ...links.map(({ spanId }) => spanId)]);
  expect(served.sort()).toEqual(
    named('POST /v1/ingest')
      .map(({ spanId }) => spanId)
      .sort(),
  );
});

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
