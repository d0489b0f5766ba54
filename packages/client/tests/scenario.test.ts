/** The scenario that all clients run. `packages/client-python/tests/test_scenario.py` is the same scenario in Python. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createStateClient, type PartialBatchError, type ResponseInfo } from '../src/index.js';
import { verifyWebhook } from '../src/webhooks.js';
import { setUp } from '../../../testkit/consents.js';
import { type Fault, injectFaults, startFaultyProxy } from '../../../testkit/faulty-proxy.js';
import { startReceiver } from '../../../testkit/receiver.js';
import { startDelivering } from '../../../testkit/service.js';
import { until } from '../../../testkit/until.js';

/** Returns an id with characters that require encoding in a path. */
const unique = (name: string) => `${name}/${randomUUID()}?#&+%`;

/** Returns a client behind a proxy that injects faults. Its account records consent. */
async function connect() {
  const service = await setUp(await startDelivering(), { consent: 'record' });
  const proxy = await startFaultyProxy(service.url);
  const client = createStateClient({ baseUrl: proxy, key: service.key });
  const reading = (session_id: string) => ({ session_id, timestamp: service.clock.at(), heart_rate: 90 });
  return { client, reading, proxy, inject: (...faults: Fault[]) => injectFaults(proxy, faults) };
}

test('a reading is stored, read back and erased', async () => {
  const { client, reading } = await connect();
  const [session_id, subject_id] = [unique('s'), unique('p')];
  const turn = { user_message: 'My exam is tomorrow.', ai_response: 'Which part of the exam worries you?' };
  const answered = await client.ingest({ ...reading(session_id), subject_id, ...turn });
  expect(answered.topics_detected).toEqual(['exams']);
  expect((await client.state(session_id)).stress_score).toBe(answered.stress_score);
  expect(await client.state({ subject_id })).toMatchObject({ session_id, subject_id });
  expect((await client.history({ subject_id })).datapoints).toMatchObject([{ session_id }]);
  expect((await client.history(session_id)).minutes).toBe(5);
  expect((await client.history(session_id, 60)).datapoints).toHaveLength(1);
  expect((await client.history(session_id, 60, { until: '2026-01-01T00:00:00Z' })).datapoints).toEqual([]);
  expect(Object.keys((await client.triggers(subject_id)).triggers)).toEqual(['exams']);
  expect((await client.subject(subject_id)).baseline.heart_rate?.latest.bpm).toBe(90);
  await until('the accesses', async () => (await client.accesses(subject_id)).accesses.length > 0);
  const { receipt, ...erased } = await client.deleteSubject(subject_id);
  expect(erased).toEqual({
    subject_id,
    deleted: true,
    sessions_removed: 1,
    triggers_removed: 1,
    sessions_deleted: 1,
    trigger_entries_deleted: 1,
  });
  const { kid } = JSON.parse(Buffer.from(receipt.split('.')[0] ?? '', 'base64url').toString());
  expect((await client.receiptKeys()).map((key) => key.kid)).toContain(kid);
});

test.each<Fault>(['bad gateway', 'dropped', 'lost', 'slow', 'rate limited'])(
  'a reading with the fault "%s" is retried and stored once',
  async (fault) => {
    const { client, reading, inject } = await connect();
    const session_id = unique('s');
    await inject(fault);
    expect(await client.ingest(reading(session_id), { timeoutMs: 2000 })).toMatchObject({ session_id });
    expect((await client.history(session_id)).datapoints).toHaveLength(1);
  },
);

test('a batch whose response is lost is retried, and each reading is stored once', async () => {
  const { client, reading, inject } = await connect();
  const session_id = unique('s');
  await inject('lost');
  const text = { user_message: '😰"é\n'.repeat(2000), ai_response: 'Yes?', subject_id: unique('p') };
  const readings = [
    { ...reading(session_id), ...text },
    { ...reading(session_id), heart_rate: 700 },
  ];
  const { accepted, rejected, results } = await client.ingestBatch(readings);
  expect([accepted, rejected]).toEqual([1, 1]);
  expect(results[0]?.state).toMatchObject({ session_id });
  expect(results[1]?.error).toMatchObject({ status: 422, errors: [{ pointer: '/heart_rate' }] });
  expect((await client.history(session_id)).datapoints).toHaveLength(1);
});

/** Returns readings that fill two requests. Backfilled ones do not use up the limit of their session. */
function fillTwoRequests(reading: { session_id: string; timestamp: string; heart_rate: number }, texts = {}) {
  const end = Date.parse(reading.timestamp);
  return Array.from({ length: 'user_message' in texts ? 300 : 1200 }, (_, index) => {
    const timestamp = new Date(end - 1_200_000 + index * 1000).toISOString();
    // Each reading has its own heart rate, and one is invalid.
    return { ...reading, ...texts, timestamp, heart_rate: index === 250 ? 700 : 40 + index / 10, backfill: true };
  });
}

test.each([{}, { subject_id: 'p', user_message: '😰"é\n'.repeat(2000), ai_response: 'Yes?' }])(
  'a batch above the limits is split, and its results are in the order of the readings',
  async (texts) => {
    const { client, reading } = await connect();
    const session_id = unique('s');
    const readings = fillTwoRequests(reading(session_id), texts);
    const responses: ResponseInfo[] = [];
    const result = await client.ingestBatch(readings, { onResponse: (it) => void responses.push(it) });
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect([result.accepted, result.rejected]).toEqual([readings.length - 1, 1]);
    expect(result.results.map(({ line }) => line)).toEqual(readings.map((_, index) => index + 1));
    expect(result.results.findIndex(({ status }) => status !== 200)).toBe(250);
    const stored = [];
    for await (const row of client.exportReadings({ sessionId: session_id })) stored.push(row.reading.heart_rate);
    expect(stored).toEqual(readings.map(({ heart_rate }) => heart_rate).filter((it) => it !== 700));
  },
);

test('a batch whose second request fails reports the results of the first one, and the rest can be sent again', async () => {
  const { client, reading, inject } = await connect();
  const session_id = unique('s');
  const readings = fillTwoRequests(reading(session_id));
  await inject('none', 'bad gateway');
  const error = await client.ingestBatch(readings, { maxRetries: 0 }).catch((it: unknown) => it as PartialBatchError);
  expect(error).toMatchObject({
    name: 'PartialBatchError',
    message: expect.stringContaining('the first 1000 readings were sent'),
    cause: { name: 'UnexpectedAnswerError', status: 502 },
    result: { accepted: 999, rejected: 1 },
  });
  const { results } = (error as PartialBatchError).result;
  expect((await client.ingestBatch(readings.slice(results.length))).accepted).toBe(200);
  await inject('bad gateway');
  const first = client.ingestBatch(readings, { maxRetries: 0 });
  await expect(first).rejects.toMatchObject({ name: 'UnexpectedAnswerError' });
});

test.each<[Fault, string]>([
  ['bad gateway', 'UnexpectedAnswerError'],
  ['dropped', 'ConnectionError'],
  ['lost', 'ConnectionError'],
  ['slow', 'TimeoutError'],
])('an erasure with the fault "%s" fails with %s and is not retried', async (fault, name) => {
  const { client, reading, inject } = await connect();
  const [session_id, subject_id] = [unique('s'), unique('p')];
  await client.ingest({ ...reading(session_id), subject_id });
  await inject(fault);
  await expect(client.deleteSubject(subject_id, { timeoutMs: 1000 })).rejects.toMatchObject({ name });
  const isErased = fault === 'lost';
  expect((await client.sessions({ subject_id })).sessions).toHaveLength(isErased ? 0 : 1);
});

test('feedback whose response is lost is retried and stored once', async () => {
  const { client, reading, inject } = await connect();
  const [session_id, subject_id] = [unique('s'), unique('p')];
  const { stress_score, timestamp } = await client.ingest({ ...reading(session_id), subject_id });
  await inject('lost');
  const report = { session_id, timestamp, stress: 7, note_code: 'workload' } as const;
  const stored = await client.submitFeedback(report);
  expect(stored).toMatchObject({ session_id, stress: 7, published: { stress_score } });
  expect((await client.feedback({ subject_id })).feedback.map(({ id }) => id)).toEqual([stored.id]);
});

test('a consent whose response is lost is retried and recorded once', async () => {
  const { client, reading, inject } = await connect();
  const subject_id = unique('p');
  const { timestamp: event_time } = reading('s');
  await inject('lost');
  const decision = { categories: ['vocal' as const], purposes: ['adapt'], context: 'care' as const, event_time };
  const recorded = await client.putConsent(subject_id, decision);
  expect(recorded).toMatchObject({ subject_id, version: 1, categories: ['vocal'] });
  expect(await client.consent(subject_id)).toEqual(recorded);
  expect((await client.consentVersions(subject_id)).versions).toEqual([recorded]);
  const earlier = { ...decision, categories: [], event_time: '2026-01-01T00:00:00Z' };
  await expect(client.putConsent(subject_id, earlier)).rejects.toMatchObject({ code: 'consent_outdated' });
});

test('the agreement covers the reports of a person or of the account', async () => {
  const { client, reading } = await connect();
  const people = [unique('p'), unique('p')] as const;
  for (const subject_id of people) {
    const { timestamp } = await client.ingest({ ...reading(unique('s')), subject_id });
    await client.submitFeedback({ subject_id, timestamp, stress: 2 });
  }
  const listed = [];
  for await (const { subject_id } of client.feedback()) listed.push(subject_id);
  expect(listed).toEqual(expect.arrayContaining([...people]));
  const agreement = await client.subjectAgreement(people[0]);
  expect(agreement).toMatchObject({
    subject_id: people[0],
    status: 'not_enough_reports',
    reports: 1,
    scored_reports: 1,
  });
  const { subject_id, reports } = await client.agreement();
  expect([subject_id, reports]).toEqual([undefined, listed.length]);
});

test('a message alone yields a state when its sentiment is derived', async () => {
  const { client, reading } = await connect();
  const { heart_rate: _, ...message } = reading(unique('s'));
  const user_message = 'I cannot stop crying and I am so scared of losing everything.';
  const { derived, signals_received } = await client.ingest({ ...message, user_message, derive_sentiment: true });
  expect(derived?.sentiment).toBeLessThan(-0.5);
  expect(signals_received).toEqual(['textual']);
});

test('an error names every invalid field', async () => {
  const { client, reading } = await connect();
  const invalid = client.ingest({ ...reading('s1'), heart_rate: 700, sentiment: 7 });
  await expect(invalid).rejects.toMatchObject({
    status: 422,
    code: 'validation_failed',
    message: expect.stringContaining('heart_rate: Input should be less than or equal to 220'),
    faults: expect.arrayContaining(
      ['/heart_rate', '/sentiment'].map((pointer) => expect.objectContaining({ pointer })),
    ),
  });
  const unknown = client.state('none');
  await expect(unknown).rejects.toMatchObject({ code: 'session_not_found', message: 'No data for this session' });
});

test('a text that is too long for a request is truncated', async () => {
  const { client, reading } = await connect();
  const long = `My exam is tomorrow. ${'😰"\n'.repeat(2000)}`;
  const turn = { subject_id: unique('p'), user_message: long, ai_response: 'Which part of the exam?' };
  expect((await client.ingest({ ...reading(unique('s')), ...turn })).topics_detected).toEqual(['exams']);
});

test('iterating the sessions returns every session of all pages once', async () => {
  const { client, reading } = await connect();
  const subject_id = unique('p');
  const ids = Array.from({ length: 51 }, (_, index) => unique(`s${index}`));
  for (const session_id of ids) await client.ingest({ ...reading(session_id), subject_id });
  const found = [];
  for await (const { session_id } of client.sessions({ subject_id })) found.push(session_id);
  expect(found.sort()).toEqual(ids.sort());
  const { sessions, next_cursor } = await client.sessions({ subject_id });
  expect([sessions.length, typeof next_cursor]).toEqual([50, 'string']);
  const states = ['calm', 'relaxed', 'focused'] as const;
  const sorted = [];
  for await (const it of client.sessions({ subject_id, state: [...states], sort: 'score', points: 2 })) sorted.push(it);
  expect(sorted.map((it) => it.session_id).sort()).toEqual(ids.sort());
  expect(sorted[0]?.points).toHaveLength(1);
});

test('iterating a summary returns the hours and days of a person', async () => {
  const { client, reading } = await connect();
  const subject_id = unique('p');
  for (const session of ['a', 'b']) await client.ingest({ ...reading(unique(session)), subject_id });
  let readings = 0;
  for await (const hour of client.summary(subject_id, { from: '2026-01-01T00:00:00Z' })) readings += hour.readings;
  expect(readings).toBe(2);
  const days = await client.summary(subject_id, { interval: 'day', time_zone: 'Europe/Vienna' });
  expect(days).toMatchObject({ time_zone: 'Europe/Vienna', next_cursor: null });
  expect(days.rows.reduce((sum, day) => sum + day.readings, 0)).toBe(2);
});

test('a registration whose response is lost still returns the secret', async () => {
  const { client, inject } = await connect();
  const { url } = await startReceiver();
  await inject('lost');
  const webhook = await client.webhooks.register({ url, events: ['state_change'] });
  expect(webhook.secret).toMatch(/^whsec_/);
  await client.webhooks.remove(webhook.id);
});

test('deliveries are verified before and during a secret rotation', async () => {
  const { client } = await connect();
  const receiver = await startReceiver();
  const created = await client.webhooks.register({ url: receiver.url, events: ['state_change'] });
  expect(await client.webhooks.register({ url: receiver.url, events: ['state_change'] })).not.toHaveProperty('secret');
  const secret = created.secret ?? '';
  const { delivery_id } = await client.webhooks.test(created.id);
  const [first] = await receiver.until(1);
  const verified = await verifyWebhook({ headers: first?.headers ?? {}, body: first?.bytes ?? '', secret });
  expect(verified).toMatchObject({ deliveryId: delivery_id, event: { event: 'state_change' } });
  const rotated = await client.webhooks.rotateSecret(created.id);
  await client.webhooks.test(created.id);
  const [, second] = await receiver.until(2);
  for (const one of [secret, rotated.secret ?? '', ['whsec_AAAA', secret]])
    await verifyWebhook({ headers: second?.headers ?? {}, body: second?.bytes ?? '', secret: one });
  expect((await client.webhooks.delivery(delivery_id)).status).toBe('delivered');
  await client.webhooks.remove(created.id);
  expect((await client.webhooks.list()).map(({ id }) => id)).not.toContain(created.id);
});

test('a token reads its own session only', async () => {
  const { client, reading, proxy } = await connect();
  const session_id = unique('s');
  await client.ingest(reading(session_id));
  const { token } = await client.tokens.create({ session_id, scopes: ['read'] });
  const reader = createStateClient({ baseUrl: proxy, token });
  expect(await reader.state(session_id)).toMatchObject({ session_id });
  await expect(reader.state('another')).rejects.toMatchObject({ code: 'invalid_token' });
});

test('a token of the scope feedback sends reports of its own session only', async () => {
  const { client, reading, proxy } = await connect();
  const session_id = unique('s');
  const { timestamp } = await client.ingest(reading(session_id));
  const { token } = await client.tokens.create({ session_id, scopes: ['feedback'] });
  const page = createStateClient({ baseUrl: proxy, token });
  expect(await page.submitFeedback({ session_id, timestamp, stress: 0 })).toMatchObject({ session_id, stress: 0 });
  const foreign = page.submitFeedback({ session_id: 'another', timestamp, stress: 0 });
  await expect(foreign).rejects.toMatchObject({ code: 'invalid_token' });
});

test('a rejected token is renewed once', async () => {
  const { client, reading, proxy } = await connect();
  const session_id = unique('s');
  await client.ingest(reading(session_id));
  const tokens = ['expired', (await client.tokens.create({ session_id, scopes: ['read'] })).token];
  const reader = createStateClient({ baseUrl: proxy, token: () => tokens.shift() ?? '' });
  expect(await reader.state(session_id)).toMatchObject({ session_id });
  expect(await reader.history(session_id)).toMatchObject({ session_id });
  expect(tokens).toEqual([]);
});

test('a stream continues after a lost connection', async () => {
  const { client, reading, inject } = await connect();
  const sessionId = unique('s');
  const sent = [];
  for (const heart_rate of [70, 71, 72]) sent.push(await client.ingest({ ...reading(sessionId), heart_rate }));
  await inject('cut after a reading');
  const ended: Array<string | undefined> = [];
  const onDisconnect = (error: Error | undefined) => void ended.push(error?.name);
  const received = [];
  for await (const { data } of client.stream({ sessionId, events: 'reading', lastEventId: '0', onDisconnect })) {
    received.push(data);
    if (received.length === sent.length) break;
  }
  expect(received).toEqual(sent);
  expect(ended).toEqual(['ConnectionError']);
});

test('an export continues after a lost connection', async () => {
  const { client, reading, inject } = await connect();
  const [sessionId, subject_id] = [unique('s'), unique('p')];
  const rates = [70, 71, 72];
  for (const heart_rate of rates) await client.ingest({ ...reading(sessionId), subject_id, heart_rate });
  await inject('cut after a reading');
  const rows = [];
  for await (const row of client.exportReadings({ sessionId })) rows.push(row);
  expect(rows.map(({ reading: { heart_rate } }) => heart_rate)).toEqual(rates);
  const rest = [];
  for await (const row of client.exportReadings({ subjectId: subject_id, cursor: rows[0]?.cursor ?? '' }))
    rest.push(row);
  expect(rest).toEqual(rows.slice(1));
  await expect(client.exportReadings({ sessionId: 'none' }).next()).rejects.toMatchObject({
    code: 'session_not_found',
  });
});

test('a stream that the service rejects throws the error', async () => {
  const { proxy } = await connect();
  const stranger = createStateClient({ baseUrl: proxy, key: `sk_${'0'.repeat(32)}` });
  await expect(stranger.stream().next()).rejects.toMatchObject({ code: 'invalid_api_key' });
});
