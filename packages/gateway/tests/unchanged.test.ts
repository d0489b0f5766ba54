import type { ServerResponse } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findField, openJson } from '../json-text.js';
import { sendJson } from '../../../testkit/model-upstream.js';
import { injectFaults, startFaultyProxy } from '../../../testkit/faulty-proxy.js';
import { until } from '../../../testkit/until.js';
import { distress, startStage } from './stage.js';

/** A body with details that `JSON.stringify` changes: spaces, escapes, large numbers, duplicate keys and a lone surrogate. */
const odd = (text = distress) => ` {"n":1.0, "big":12345678901234567890,"system" : "a\\u0041\\ud800\\"]" ,
  "messages":[ ],"messages" : [ {"role":"user","content":"\\u002d ${text}","x":[{"y":"]}\\\\"}]} ] , "é":null}`;
const paths = ['/v1/chat/completions', '/v1/messages'];

test.each(['slow', 'dropped', 'bad gateway', 'rate limited'] as const)(
  'a body passes byte for byte when the service is %s, if the key was valid before',
  async (fault) => {
    const proxied = await startStage();
    const proxy = await startFaultyProxy(proxied.service.url);
    const { upstream, post } = await startStage({ GATEWAY_STATE_TIMEOUT_MS: '300' }, proxy);
    await until('the key is valid', async () => (await post('/v1/models', '')).status === 200);
    await injectFaults(proxy, [fault, fault]);
    for (const path of paths) {
      const response = await post(path, odd());
      expect(response.status).toBe(200);
      expect(response.headers.get('x-state-adapted')).toBe('false');
      const reason = fault === 'slow' ? 'timeout' : 'service_unavailable';
      expect(response.headers.get('x-state-skipped')).toBe(reason);
      expect(upstream.requests.at(-1)?.body).toBe(odd());
    }
  },
);

test('a body passes byte for byte without data, and with a subject of another session', async () => {
  const { service, upstream, post } = await startStage();
  const foreign = odd('Ich kann nicht mehr schlafen und habe solche Angst vor der Arbeit.');
  for (const path of paths) {
    expect((await post(path, foreign)).headers.get('x-state-skipped')).toBe('no_data');
    expect(upstream.requests.at(-1)?.body).toBe(foreign);
  }
  await service.read({ session_id: 's2', subject_id: 'ben', heart_rate: 90 });
  const mismatch = await post('/v1/messages', odd(), { 'X-State-Session': 's2' });
  expect(mismatch.headers.get('x-state-skipped')).toBe('subject_mismatch');
  expect(upstream.requests.at(-1)?.body).toBe(odd());
});

test('an adapted body keeps every byte around the added text', async () => {
  const { upstream, post } = await startStage();
  for (const [index, path] of paths.entries()) {
    expect((await post(path, odd())).headers.get('x-state-adapted')).toBe('true');
    const body = upstream.requests[index]?.body ?? '';
    const added = index === 0 ? /\{"role":"system","content":"The person[^{}]*\},/ : /\\n\\nThe person(?:[^"\\]|\\.)*/;
    expect(body).toMatch(added);
    expect(body.replace(added, '')).toBe(odd());
  }
});

test('each form of a system text of Anthropic stays valid', async () => {
  const { upstream, post } = await startStage();
  const messages = [{ role: 'user', content: distress }];
  const block = (text: unknown) => ({ type: 'text', text });
  const instruction = expect.stringMatching(/^The person/);
  const forms: Array<[unknown, unknown]> = [
    [undefined, instruction],
    [null, instruction],
    ['', instruction],
    ['Be brief.', expect.stringMatching(/^Be brief\.\n\nThe person/)],
    [[], [block(instruction)]],
    [[block('Be brief.')], [block('Be brief.'), block(instruction)]],
  ];
  for (const [system, adapted] of forms) {
    await post('/v1/messages', JSON.stringify({ system, messages }));
    expect(JSON.parse(upstream.requests.at(-1)?.body ?? '')).toEqual({ system: adapted, messages });
  }
});

test.each([
  ['gzip', gzipSync(odd())],
  ['br', brotliCompressSync(odd())],
  ['identity', Buffer.from(`\ufeff${odd()}`)],
])('a body in %s is adapted, and the model gets it as plain text', async (encoding, body) => {
  const { upstream, post } = await startStage();
  const response = await post('/v1/messages', body, { 'Content-Encoding': encoding });
  expect(response.headers.get('x-state-adapted')).toBe('true');
  const [sent] = upstream.requests;
  expect(sent?.body).toMatch(/^ \{"n":1\.0.*The person/s);
  expect(sent?.headers).not.toHaveProperty('content-encoding', encoding === 'identity' ? 'gzip' : encoding);
});

test('a compressed body of 20 MB is adapted, and a larger or broken one passes unchanged', async () => {
  const { upstream, post } = await startStage();
  const zip = (size: number) =>
    gzipSync(Buffer.concat([Buffer.from(odd()), Buffer.alloc(size, ' ')]).subarray(0, size));
  const outcomes = [];
  for (const body of [zip(20_000_000), zip(20_000_001), zip(100).subarray(0, 20)]) {
    const response = await post('/v1/messages', body, { 'Content-Encoding': 'gzip' });
    outcomes.push([response.headers.get('x-state-adapted'), upstream.requests.at(-1)?.headers['content-encoding']]);
  }
  expect(outcomes).toEqual([['true', undefined], ...Array(2).fill(['false', 'gzip'])]);
});

test('a compressed body reserves the memory of its text, however long the model takes', async () => {
  const { upstream, post } = await startStage({ GATEWAY_MAX_BODY_MB: '1' });
  const waiting: (() => void)[] = [];
  const count = 12;
  upstream.respond(
    ...Array.from({ length: count }, () => (_: unknown, response: ServerResponse) => {
      waiting.push(() => sendJson(response, {}));
    }),
  );
  const posts = [];
  for (let sent = 1; sent <= count; sent += 1) {
    posts.push(post('/v1/messages', gzipSync(odd()), { 'Content-Encoding': 'gzip' }));
    await until('the request', () => waiting.length === sent);
  }
  for (const respond of waiting) respond();
  for (const { headers } of await Promise.all(posts)) expect(headers.get('x-state-adapted')).toBe('true');
});

test('a body that is not a JSON object passes byte for byte', async () => {
  const { service, upstream, post } = await startStage();
  await service.read({ heart_rate: 90, tone: 'hostile' });
  for (const body of ['', '{"messages":', '[]', '"text"', '{"messages":7}', '\ufeff{"messages":[]}']) {
    expect((await post('/v1/chat/completions', body)).status).toBe(200);
    expect(upstream.requests.at(-1)?.body).toBe(body);
  }
});

test('the last field with a key is found in every JSON document', async () => {
  const spaces = fc.constantFrom('', ' ', '\n\t');
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom('a', 'b', '\u0061"\\'), fc.jsonValue()), { minLength: 1 }),
      spaces,
      async (fields, space) => {
        const parts = fields.map(
          ([key, value]) =>
            `${space}${JSON.stringify(key)}${space}:${space}${JSON.stringify(value, null, space)}${space}`,
        );
        const json = `${space}{${parts.join(',')}}${space}`;
        const bytes = Buffer.from(json);
        const members = await openJson(bytes).findMembers(0);
        for (const [key, value] of Object.entries(JSON.parse(json) as object)) {
          const field = findField(members, key);
          expect(JSON.parse(bytes.toString('utf8', field?.start, field?.end))).toEqual(value);
        }
      },
    ),
  );
});

test('a redirect of the model is returned and not followed', async () => {
  const { upstream, post } = await startStage();
  upstream.respond((_, response) => response.writeHead(307, { Location: 'http://127.0.0.1:9/stolen' }).end());
  const response = await post('/v1/messages', odd(), {});
  expect(response.status).toBe(307);
  expect(upstream.requests).toHaveLength(1);
});

test('a redirect of the service is not followed, and the response of another server accepts no key', async () => {
  const trap = await startStage();
  trap.upstream.respond((_, response) => response.writeHead(307, { Location: `${trap.service.url}/v1/ingest` }).end());
  const { upstream, post } = await startStage({}, trap.upstream.url);
  for (let count = 0; count < 2; count += 1) expect((await post('/v1/messages', odd())).status).toBe(503);
  expect(trap.upstream.requests).toHaveLength(2);
  expect(upstream.requests).toEqual([]);
});

test('a request over the limit is a 413, declared or in chunks, and headers of one connection are not forwarded', async () => {
  const { upstream, post } = await startStage({ GATEWAY_MAX_BODY_MB: '1' });
  const large = new Uint8Array(1_000_001);
  expect((await post('/v1/messages', large)).status).toBe(413);
  const chunked = await post('/v1/messages', new Blob([large]).stream());
  expect((await chunked.json()).error.code).toBe('body_too_large');
  upstream.respond((request, response) => sendJson(response, request, 200, { 'X-State': 'forged', 'X-Own': '1' }));
  const user = (content: string) => ({ role: 'user', content });
  const messages = [user('x'.repeat(900_000)), { role: 'assistant', content: 'ok' }, user(distress)];
  const image = JSON.stringify({ messages });
  const response = await post('/v1/messages?beta=true', image, { 'Proxy-Authorization': 'secret', 'X-Mine': '1' });
  expect([response.headers.get('x-own'), response.headers.get('x-state')]).toEqual(['1', 'stressed']);
  const { path, headers: received } = await response.json();
  expect([path, received['x-mine'], received['proxy-authorization']]).toEqual([
    '/v1/messages?beta=true',
    '1',
    undefined,
  ]);
});

test('the path of a base URL replaces the version, and a compressed response passes as it is', async () => {
  const other = await startStage();
  const { upstream, post } = await startStage({ GATEWAY_OPENAI_URL: `${other.upstream.url}/api/v3/` });
  await post('/v1/chat/completions', odd());
  expect(other.upstream.requests.map(({ path }) => path)).toEqual(['/api/v3/chat/completions']);
  upstream.respond(({ body }, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }).end(gzipSync(body));
  });
  expect((await (await post('/v1/messages', odd())).json()).messages).toHaveLength(1);
});

test.each(['application/json', 'text/event-stream'])('a large response of the type %s arrives whole', async (type) => {
  const { upstream, post } = await startStage();
  const chunk = 'x'.repeat(300_000);
  upstream.respond((_, response) => {
    response.writeHead(200, { 'Content-Type': type });
    for (let sent = 0; sent < 10; sent += 1) response.write(chunk);
    response.end();
  });
  expect(await (await post('/v1/messages', odd())).text()).toBe(chunk.repeat(10));
});

test('a response that the model breaks off also breaks off at the client', async () => {
  const { upstream, post, logs } = await startStage();
  upstream.respond((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: {}\n\n', () => response.destroy());
  });
  const response = await post('/v1/messages', odd());
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow('terminated');
  await until('the request is logged', () => logs.some((it) => it.includes('"error"')));
});

test('an upstream gets no key of the service, in whatever header a client sends it', async () => {
  const { upstream, post } = await startStage({ KEY_HEADERS: 'X-Nefesh-Key,X-Own-Key' });
  const key = `sk_${'0'.repeat(32)}`;
  await post('/v1/chat/completions', odd(), {
    'X-Service-Key': key,
    'X-Nefesh-Key': key,
    'x-own-key': key,
    'x-kept': 'yes',
  });
  const headers = upstream.requests.at(-1)?.headers;
  expect(headers?.['x-kept']).toBe('yes');
  expect(JSON.stringify(headers)).not.toContain(key);
});
