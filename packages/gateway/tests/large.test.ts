import { expect, test } from 'vitest';
import { openJson } from '../json-text.js';
import { distress, startStage } from './stage.js';

const chat = '/v1/chat/completions';
const url = `data:image/png;base64,${'iVBORw0KGgo'.repeat(400_000)}`;

test('a request with many images of several MB is adapted, and every other byte stays the same', async () => {
  const { upstream, post } = await startStage();
  const images = [url, ...Array.from({ length: 500 }, () => url.slice(0, 33_000))];
  const content = [
    { type: 'text', text: distress },
    ...images.map((it) => ({ type: 'image_url', image_url: { url: it } })),
  ];
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] });
  const response = await post(chat, body);
  expect([response.headers.get('x-state'), response.headers.get('x-state-adapted')]).toEqual(['stressed', 'true']);
  const sent = upstream.requests[0]?.body ?? '';
  expect(sent.replace(/\{"role":"system","content":"The person[^{}]*\},/, '') === body).toBe(true);
  expect(upstream.requests[0]?.headers['content-length']).toBe(String(Buffer.byteLength(sent)));
});

test('a long string is read from its start, also if the cut is in an escape or a character', async () => {
  for (let shift = 0; shift < 12; shift += 1) {
    const text = 'x'.repeat(shift) + '\u00e9"\\\u0001'.repeat(10_000);
    const bytes = Buffer.from(JSON.stringify(text));
    const read = String(await openJson(bytes).readValue({ key: '', start: 0, end: bytes.length }, 0));
    expect(read.length).toBeGreaterThan(4_096);
    expect(text.startsWith(read.slice(0, -1))).toBe(true);
  }
});

test.each([
  ['nested', (count: number) => '['.repeat(count) + ']'.repeat(count)],
  ['short strings', (count: number) => `[${'"",'.repeat(count)}""]`],
  ['escapes', (count: number) => `"${'\\"'.repeat(count)}"`],
  ['backslashes', (count: number) => `"${'\\\\'.repeat(count)}"`],
])('a body with too much structure (%s) passes unchanged, and a header states this', async (_, repeat) => {
  const { service, upstream, post } = await startStage();
  await service.read({ heart_rate: 90, tone: 'hostile' });
  const body = `{"messages":[{"role":"user","content":"Hello."}],"x":${repeat(2_100_000)}}`;
  const response = await post(chat, body);
  expect([response.status, response.headers.get('x-state-skipped')]).toEqual([200, 'unreadable_request']);
  expect(upstream.requests[0]?.body === body).toBe(true);
});
