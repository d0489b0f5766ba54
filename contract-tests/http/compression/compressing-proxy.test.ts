import { createServer, request as send } from 'node:http';
import compression from 'compression';
import express from 'express';
import { startStage } from '../../../packages/gateway/tests/stage.js';
import { openStream } from '../../../testkit/event-source.js';
import { listen } from '../../../testkit/listen.js';
import { formatEvent } from '../../../testkit/model-upstream.js';
import { expect, onTestFinished, test } from '../../../testkit/test.js';
import { until } from '../../../testkit/until.js';

/** Starts a proxy that compresses every response, unless its headers forbid it. */
async function startCompressingProxy(target: string): Promise<string> {
  const app = express().use(compression(), (request, response) => {
    const { method, url, headers } = request;
    const sending = send(target + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    response.on('close', () => sending.destroy());
    sending.on('error', () => response.destroy());
    request.pipe(sending);
  });
  return listen(createServer(app));
}

test('events arrive through a compressing proxy while the stream is open', async ({ service }) => {
  const url = await startCompressingProxy(service.url);
  const stream = await openStream({ url, key: service.key }, { session_id: 's1' });
  expect(stream.response.headers.get('cache-control')).toBe('no-store, no-transform');
  const reading = await service.read({ heart_rate: 90 });
  expect((await stream.until(1)).map(({ data }) => data)).toEqual([reading]);
  expect(stream.isEnded()).toBe(false);
});

test('updates of an MCP subscription arrive through a compressing proxy while it is open', async ({ service }) => {
  const url = await startCompressingProxy(service.url);
  const { response, text } = await open(`${url}/mcp`, subscription('s1'), {
    'X-Service-Key': service.key,
    Accept: 'application/json, text/event-stream',
    'Mcp-Protocol-Version': '2026-07-28',
    'Mcp-Method': 'subscriptions/listen',
  });
  expect(response.headers.get('cache-control')).toBe('no-store, no-transform');
  expect(response.headers.get('x-accel-buffering')).toBe('no');
  await service.read({ tone: 'calm', expression: 'relaxed' });
  service.clock.advance(2);
  await service.read({ tone: 'hostile', expression: 'tense', sentiment: -1 });
  await until('the update arrives', async () => text().includes('notifications/resources/updated'));
});

test('words of a model arrive through a compressing proxy in front of the gateway, while the model answers', async () => {
  const { url, upstream, headers } = await startStage();
  let finish = () => {};
  upstream.respond((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-cache' });
    response.write(formatEvent({ type: 'first' }));
    finish = () => void response.end(formatEvent('[DONE]'));
  });
  const body = { stream: true, messages: [{ role: 'user', content: 'Hello.' }] };
  const proxy = await startCompressingProxy(url);
  const { response, text } = await open(`${proxy}/v1/chat/completions`, body, headers);
  expect(response.headers.get('cache-control')).toBe('no-cache, no-transform');
  expect(response.headers.get('x-accel-buffering')).toBe('no');
  await until('the first event arrives', async () => text().includes('first'));
  expect(text()).not.toContain('[DONE]');
  finish();
  await until('the last event arrives', async () => text().includes('[DONE]'));
});

test('a response that ends is compressed by the proxy', async ({ service }) => {
  await service.read({ heart_rate: 90 });
  const url = await startCompressingProxy(service.url);
  const answer = await fetch(`${url}/v1/export?session_id=s1&format=csv`, {
    headers: { 'X-Service-Key': service.key },
  });
  expect(answer.headers.get('content-encoding')).toBe('gzip');
  expect(await answer.text()).toContain('s1,');
});

function subscription(sessionId: string): object {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const notifications = { resourceSubscriptions: [`state://sessions/${sessionId}`] };
  return { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { _meta, notifications } };
}

/** Sends a request, and collects the text of its response until the test ends. */
async function open(url: string, body: object, headers: Readonly<Record<string, string>>) {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: stop.signal,
  });
  let text = '';
  const read = async () => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk;
  };
  void read().catch(() => undefined);
  return { response, text: () => text };
}
