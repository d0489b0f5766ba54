import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../support/databases.js';
import { startMain } from '../support/process.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';

test('requests are traced to where OTEL_ variables point, under the caller’s trace and without ids of people', async () => {
  const collector = await startCollector();
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  const service = await startMain({ DATABASE_URL: database.url, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  await fetch(`${service.url}/v1/state?session_id=somebody`, { headers });
  // What is left is exported at the end.
  await service.end('SIGTERM');
  const [span] = collector.spans();
  expect(span).toMatchObject({ name: 'GET /v1/state', traceId });
  expect(service.stderr()).toContain(`"trace_id":"${traceId}"`);
  expect(collector.text()).toContain('realtime-state-service');
  expect(collector.text()).not.toContain('somebody');
});

interface Span {
  readonly name: string;
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
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const exported = () => texts.flatMap((text) => JSON.parse(text).resourceSpans);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => exported().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }: { spans: Span[] }) => spans)),
    text: () => texts.join('\n'),
  };
}
