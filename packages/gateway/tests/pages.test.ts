import { expect, test } from 'vitest';
import { sendJson } from '../../../testkit/model-upstream.js';
import { issueToken } from '../../../testkit/tokens.js';
import { distress, startStage } from './stage.js';

const chat = '/v1/chat/completions';
const guardrail = '/beta/litellm_basic_guardrail_api';
const page = { Origin: 'https://app.example' };
const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: distress }] });
const listed = (headers: Headers) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-') || name === 'vary'));

async function startWithPages(GATEWAY_CORS_ORIGINS = 'https://app.example,http://localhost:3000') {
  const stage = await startStage({ GATEWAY_CORS_ORIGINS });
  const ask = (method: string, headers: Record<string, string>) => fetch(stage.url + chat, { method, headers });
  return { ...stage, ask };
}

test('a page of a listed origin calls the gateway with a session token, without credentials of the browser', async () => {
  const { service, upstream, ask, post } = await startWithPages();
  const preflight = await ask('OPTIONS', {
    ...page,
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'authorization,x-state-key',
  });
  expect([preflight.status, listed(preflight.headers)]).toEqual([
    204,
    expect.objectContaining({
      'access-control-allow-origin': page.Origin,
      'access-control-allow-headers': 'authorization,x-state-key',
      'access-control-allow-methods': expect.stringContaining('POST'),
    }),
  ]);
  upstream.respond((request, response) =>
    sendJson(response, request, 200, {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Credentials': 'true',
    }),
  );
  const token = await issueToken(service, { subject_id: 'anna' });
  const response = await post(chat, body, { ...page, 'X-State-Key': token });
  expect([response.status, response.headers.get('x-state')]).toEqual([200, 'stressed']);
  expect(listed(response.headers)).toEqual({
    'access-control-allow-origin': page.Origin,
    'access-control-expose-headers': expect.stringContaining('X-State-Safety'),
    vary: 'Origin',
  });
  expect((await response.json()).headers).not.toHaveProperty('origin');
});

test('a page sends the model no cookie and no address, and gets no cookie; other clients do', async () => {
  const { service, upstream, post } = await startWithPages();
  for (const _ of [1, 2])
    upstream.respond((request, response) => sendJson(response, request, 200, { 'Set-Cookie': 'a=b' }));
  const [token, browser] = [
    await issueToken(service, { subject_id: 'anna' }),
    { Cookie: 'c=d', Referer: 'https://x/' },
  ];
  const ofPage = await post(chat, body, { ...page, ...browser, 'X-State-Key': token });
  const direct = await post(chat, body, browser);
  expect([ofPage, direct].map(({ headers }) => headers.get('set-cookie'))).toEqual([null, 'a=b']);
  const sent = upstream.requests.map(({ headers }) => [headers['cookie'], headers['referer']]);
  expect(sent).toEqual([
    [undefined, undefined],
    ['c=d', 'https://x/'],
  ]);
});

test('a service key from a page is refused with a reason that the page can read, also at the guardrail', async () => {
  const { service, upstream, post } = await startWithPages();
  for (const path of [chat, guardrail])
    for (const key of [service.key, 'eyJhbGciOiJSUzI1NiJ9.e30.x', 'x']) {
      const refused = await post(path, body, { ...page, 'X-State-Key': key });
      expect([refused.status, (await refused.json()).error]).toEqual([
        403,
        expect.objectContaining({ code: 'key_in_page', message: expect.stringContaining('POST /v1/tokens') }),
      ]);
      expect(refused.headers.get('access-control-allow-origin')).toBe(page.Origin);
    }
  expect(upstream.requests).toEqual([]);
});

test.each(['https://app.example.evil', 'https://APP.example', 'http://app.example', 'https://app.example:444', 'null'])(
  'a page of the origin %s cannot read a response',
  async (Origin) => {
    const { ask, post } = await startWithPages();
    const preflight = await ask('OPTIONS', { Origin, 'Access-Control-Request-Method': 'POST' });
    for (const { headers } of [preflight, await post(chat, body, { Origin })])
      expect(headers.get('access-control-allow-origin')).toBe(null);
  },
);

test('without GATEWAY_CORS_ORIGINS, no page can read a response', async () => {
  const { upstream, ask, post } = await startWithPages('');
  expect((await ask('OPTIONS', { ...page, 'Access-Control-Request-Method': 'POST' })).status).toBe(401);
  upstream.respond((_, response) => sendJson(response, {}, 200, { 'Access-Control-Allow-Origin': '*' }));
  expect(listed((await post(chat, body, page)).headers)).toEqual({});
});
