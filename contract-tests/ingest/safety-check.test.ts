import { expect, onTestFinished, test, vi } from 'vitest';
import { batchResults } from '../../testkit/batch.js';
import { allow, setUp } from '../../testkit/consents.js';
import { openStream } from '../../testkit/event-source.js';
import { openSafetyCheck } from '../../src/serve/safety-check.js';
import { openModelUpstream, type Responding, sendJson } from '../../testkit/model-upstream.js';
import { startReceiver } from '../../testkit/receiver.js';
import { makeAccount } from '../../testkit/calls.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { everythingStored } from '../../testkit/stored.js';
import { bearer, issueToken } from '../../testkit/tokens.js';
import { register } from '../../testkit/webhooks.js';

const secret = 'quokka-bearer-secret';
const anna = { subject_id: 'anna', heart_rate: 80 } as const;
const calm = 'My exam is tomorrow and I am failing it';
const danger = 'I want to kill myself';
const german = 'Ich kann seit Tagen nicht schlafen, mir ist alles zu viel';

const finds =
  (finding: unknown): Responding =>
  (_, response) =>
    sendJson(response, { finding });

/** Starts an external check on loopback and a service that asks it. */
async function start(env: Record<string, string> = {}) {
  const outside = await openModelUpstream();
  onTestFinished(outside.close);
  // Machines are slow.
  const limits = { SAFETY_TIMEOUT_MS: '10000', GATEWAY_STATE_TIMEOUT_MS: '10000' };
  const checked = { SAFETY_URL: `${outside.url}/check`, SAFETY_SECRET: secret, METRICS_PORT: '0', ...limits };
  const service = await startTestService({ env: { ...checked, ...env } });
  const countOf = async (result: string) => {
    const text = await (await fetch(service.metricsUrl ?? '')).text();
    return Number(
      new RegExp(`^state_service_safety_checks_total\\{result="${result}"\\} (\\d+)$`, 'm').exec(text)?.[1],
    );
  };
  return { outside, service, countOf };
}

test('the more urgent of the two findings counts', async () => {
  const { outside, service, countOf } = await start();
  for (const [user_message, finding, kind] of [
    [calm, 'none', undefined],
    [calm, 'self_harm', 'self_harm'],
    [danger, 'none', 'suicidal_thoughts'],
    [danger, 'violence', 'suicidal_thoughts'],
    ['My husband hits me when he drinks', 'suicidal_thoughts', 'suicidal_thoughts'],
  ] as const) {
    outside.respond(finds(finding));
    const state = await service.read({ ...anna, user_message });
    expect([user_message, state.safety?.kind, state.safety_source]).toEqual([user_message, kind, 'both']);
  }
  expect([await countOf('answered'), await countOf('failed')]).toEqual([5, 0]);
});

test('a turn with an external finding has no topics, and the same turn without one has topics', async () => {
  const { outside, service } = await start();
  const turn = { ...anna, user_message: calm, ai_response: 'What worries you most about the exam?' };
  outside.respond(finds('violence'), finds('none'));
  expect((await service.read(turn)).topics_detected).toEqual([]);
  expect((await service.request('/v1/triggers?subject_id=anna')).body.triggers).toEqual({});
  service.clock.advance(1);
  expect((await service.read(turn)).topics_detected).toContain('exams');
});

test('a request to the external check contains the text and the secret, and no identifier', async () => {
  const { outside, service } = await start();
  outside.respond(finds('none'));
  await service.read({ session_id: 'session-id', subject_id: 'subject-id', heart_rate: 80, user_message: calm });
  const [request] = outside.requests;
  expect(request?.body).toBe(JSON.stringify({ text: calm }));
  const { host: _, ...headers } = request?.headers ?? {};
  expect(headers).toEqual({
    authorization: `Bearer ${secret}`,
    connection: 'keep-alive',
    'content-length': String(request?.body.length),
    'content-type': 'application/json',
    'user-agent': 'realtime-state-service',
  });
});

const wrongAnswers: Readonly<Record<string, Responding>> = {
  'too late': (_, response) => void setTimeout(() => sendJson(response, { finding: 'suicidal_thoughts' }), 4000),
  'status 500': (_, response) => sendJson(response, { finding: 'self_harm' }, 500),
  'status 201': (_, response) => sendJson(response, { finding: 'self_harm' }, 201),
  'no JSON': (_, response) => response.end('<html>'),
  null: (_, response) => response.end('null'),
  'an unknown finding': finds('constructor'),
  'a list': finds(['self_harm']),
  'a broken connection': (_, response) => response.destroy(),
  'a part of the body': (_, response) => response.writeHead(200).write('{"finding":'),
};

test('an external check that fails leaves the finding of the built-in one, and the response says so', async () => {
  const { outside, service, countOf } = await start({ SAFETY_TIMEOUT_MS: '2000' });
  let failed = 0;
  for (const [name, answer] of Object.entries(wrongAnswers)) {
    outside.respond(answer, answer);
    const states = await Promise.all([danger, calm].map((user_message) => service.read({ ...anna, user_message })));
    expect([name, ...states.map(({ safety, safety_source }) => [safety?.kind, safety_source])]).toEqual([
      name,
      ['suicidal_thoughts', 'built_in'],
      [undefined, 'built_in'],
    ]);
    failed += 2;
    expect([name, await countOf('answered'), await countOf('failed')]).toEqual([name, 0, failed]);
    service.clock.advance(1);
  }
});

test('a redirect of the external check is not followed', async () => {
  const { outside, service } = await start();
  outside.respond(
    (_, response) => sendJson(response, {}, 307, { Location: `${outside.url}/other` }),
    finds('self_harm'),
  );
  expect(await service.read({ ...anna, user_message: calm })).toMatchObject({ safety_source: 'built_in' });
  expect(outside.requests.map(({ path }) => path)).toEqual(['/check']);
});

test('the service stops reading a long answer of the external check at the limit, and closes its connection', async () => {
  const { outside, service } = await start();
  // Only the length ends this answer.
  const endless = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal);
  onTestFinished(() => endless.mockRestore());
  const [part, parts] = [' '.repeat(65_536), 1_000];
  const sent = new Promise<number>((resolve) => {
    outside.respond((_, response) => {
      let count = 0;
      const fill = (): void => {
        while (!response.destroyed && count < parts) {
          count += 1;
          if (!response.write(part)) return;
        }
        response.end('{"finding":"self_harm"}');
      };
      response.on('close', () => resolve(count)).on('drain', fill);
      fill();
    });
  });
  expect(await service.read({ ...anna, user_message: calm })).toMatchObject({ safety_source: 'built_in' });
  // The buffers of the connection take some megabytes.
  expect(await sent).toBeLessThan(parts / 2);
});

test('an answer above the limit is a failure, also if it is valid', async () => {
  const { outside, service } = await start();
  outside.respond((_, response) => sendJson(response, { finding: 'self_harm', padding: ' '.repeat(5000) }));
  const state = await service.read({ ...anna, user_message: calm });
  expect([state.safety, state.safety_source]).toEqual([undefined, 'built_in']);
});

test('a message in another language is checked by the external check, and the response says so', async () => {
  const { outside, service } = await start();
  outside.respond(finds('suicidal_thoughts'), (_, response) => response.destroy());
  const state = await service.read({ ...anna, user_message: german });
  expect(state).toMatchObject({ safety: { kind: 'suicidal_thoughts' }, safety_source: 'external' });
  expect(state.text_analysis?.detail).toContain('by the external check');
  service.clock.advance(1);
  const failed = await service.read({ ...anna, user_message: german });
  expect(failed.text_analysis?.detail).not.toContain('external');
  for (const field of ['safety', 'safety_source']) expect(failed).not.toHaveProperty(field);
});

test('only live messages of single readings are sent', async () => {
  const { outside, service } = await start();
  const past = { ...anna, user_message: danger, backfill: true, timestamp: service.clock.at(-600) };
  for (const reading of [anna, { ...anna, ai_response: danger }, past])
    expect(await service.read(reading)).not.toHaveProperty('safety_source');
  const line = { session_id: 's1', timestamp: service.clock.at(), ...anna, user_message: danger };
  const [result] = await batchResults(service, [line]);
  expect([result?.state?.safety?.kind, result?.state?.safety_source]).toEqual(['suicidal_thoughts', undefined]);
  await service.ingest({ ...anna, user_message: danger, heart_rate: 'high' });
  await service.ingest({ ...anna, user_message: danger, timestamp: service.clock.at(-600) });
  expect(outside.requests).toEqual([]);
});

/** What makes the service reject a reading with a message, and the status of the reading. */
const rejections: Record<string, (service: TestService) => Promise<number>> = {
  'a token names another person than its own': async (service) => {
    const token = await issueToken(service, { session_id: 's1', subject_id: 'anna' });
    return (await sendAs(service, bearer(token), { subject_id: 'ben' })).status;
  },
  'a token names another session': async (service) => {
    const token = await issueToken(service, { session_id: 's2' });
    return (await sendAs(service, bearer(token), {})).status;
  },
  'the person of a token was erased since': async (service) => {
    await service.read({ subject_id: 'anna', heart_rate: 80 });
    const token = await issueToken(service, { session_id: 's1', subject_id: 'anna' });
    await service.request('/v1/subjects/anna', { method: 'DELETE' });
    return (await sendAs(service, bearer(token), { timestamp: service.clock.at(1) })).status;
  },
  'the session belongs to another person': async (service) => {
    await service.read({ subject_id: 'anna', heart_rate: 80 });
    return (await service.ingest({ heart_rate: 80, subject_id: 'ben', user_message: danger })).status;
  },
  'a turn is not newer than the erasure of its person': async (service) => {
    await service.read(anna);
    const timestamp = service.clock.at();
    service.clock.advance(1);
    await service.request('/v1/subjects/anna', { method: 'DELETE' });
    return (await service.ingest({ ...anna, timestamp, user_message: danger, ai_response: 'Who is with you?' })).status;
  },
  'the session is one too many': async (service) => {
    await service.read({ session_id: 'first', heart_rate: 80 });
    return (await service.ingest({ session_id: 'second', heart_rate: 80, user_message: danger })).status;
  },
  'the session has too many requests': async (service) => {
    for (const heart_rate of [80, 81, 82, 83]) await service.ingest({ heart_rate });
    return (await service.ingest({ heart_rate: 84, user_message: danger })).status;
  },
  'the person allows texts, and none of the signals': async (service) => {
    await setUp(service, { consent: 'enforce' });
    await allow(service, 'anna', ['textual']);
    return (await service.ingest({ subject_id: 'anna', heart_rate: 80, user_message: danger })).status;
  },
  'its key may not send readings': async (service) => {
    const { key } = await makeAccount(service, 'reader', 'solo', { scopes: ['read'] });
    return (await sendAs(service, { 'X-Service-Key': key }, {})).status;
  },
};

function sendAs({ post, clock }: TestService, headers: Record<string, string>, reading: object) {
  const body = { session_id: 's1', timestamp: clock.at(), heart_rate: 80, user_message: danger, ...reading };
  return post('/v1/ingest', body, headers);
}

test.each(Object.keys(rejections))('the text of a rejected reading is not sent: %s', async (name) => {
  const { outside, service } = await start({
    LIMIT_NEW_SESSIONS_PER_MINUTE: '1',
    LIMIT_SESSION_REQUESTS_PER_MINUTE: '4',
  });
  expect(await rejections[name]?.(service)).toBeGreaterThanOrEqual(400);
  expect(outside.requests).toEqual([]);
});

test('the text of an allowed token is sent, once per reading', async () => {
  const { outside, service } = await start();
  const headers = bearer(await issueToken(service, { session_id: 's1', subject_id: 'anna' }));
  outside.respond(finds('none'));
  const { body } = await sendAs(service, headers, { subject_id: 'anna' });
  expect([body.safety?.kind, body.safety_source]).toEqual(['suicidal_thoughts', 'both']);
  expect(outside.requests).toHaveLength(1);
});

test('a text that the person does not allow is not sent', async () => {
  const { outside, service } = await start();
  const enforcing = await setUp(service, { consent: 'enforce' });
  await allow(enforcing, 'anna', ['cardiovascular']);
  const state = await enforcing.read({ ...anna, user_message: danger });
  for (const field of ['safety', 'safety_source', 'text_analysis']) expect(state).not.toHaveProperty(field);
  expect(outside.requests).toEqual([]);
  enforcing.clock.advance(1);
  await allow(enforcing, 'anna', ['cardiovascular', 'textual']);
  outside.respond(finds('none'));
  expect(await enforcing.read({ ...anna, user_message: danger })).toMatchObject({ safety_source: 'both' });
});

test('without SAFETY_URL, no message is sent, and neither a response nor the metrics mention the check', async () => {
  const service = await startTestService({ env: { METRICS_PORT: '0' } });
  expect(await service.read({ ...anna, user_message: danger })).not.toHaveProperty('safety_source');
  expect(await (await fetch(service.metricsUrl ?? '')).text()).not.toContain('safety');
});

test('no external finding and no secret reaches a table, log, webhook, stream, export, metric or later response', async () => {
  const { outside, service } = await start({ WORKER: '1', LOG_LEVEL: 'trace' });
  const receiver = await startReceiver();
  await register(service, receiver.url);
  const stream = await openStream(service);
  const marker = 'xylophone-quokka-marker';
  outside.respond(finds('self_harm'), finds('violence'), (_, response) => response.destroy());
  await service.read({ subject_id: 'anna', heart_rate: 60, tone: 'calm', user_message: marker, ai_response: marker });
  for (const tone of ['hostile', 'tense'] as const) {
    service.clock.advance(2);
    const heard = { subject_id: 'anna', heart_rate: 120, tone, expression: 'tense', sentiment: -1 } as const;
    await service.read({ ...heard, user_message: marker });
  }
  const places: Record<string, string> = {
    webhook: JSON.stringify(await receiver.until(1)),
    stream: (await stream.until(3), stream.text()),
    database: await everythingStored(service.database),
    log: service.logs.join(''),
    metrics: (await (await fetch(service.metricsUrl ?? '')).text()).replaceAll('state_service_safety_checks_total', ''),
  };
  for (const path of ['state?session_id=s1', 'history?session_id=s1', 'subjects/anna', 'export?subject_id=anna'])
    places[path] = JSON.stringify((await service.request(`/v1/${path}`)).body);
  const secrets = [marker, secret, 'self_harm', 'violence', 'safety_source', 'crisis procedure'];
  const leaks = Object.entries(places).filter(([, text]) => secrets.some((it) => text.includes(it)));
  expect(leaks.map(([place]) => place)).toEqual([]);
});

test.each([
  'http://check.example/x',
  'ftp://127.0.0.1',
  'https://user:pw@check.example',
  'https://10.0.0.1/',
  'quokka',
])('an external check at %s is refused, and the error does not contain the URL', (url) => {
  const open = () =>
    openSafetyCheck(
      { url, secret },
      10,
      async () => true,
      () => undefined,
    );
  expect(open).toThrow(/^must be an https URL with a public address, or a loopback address$/);
});
