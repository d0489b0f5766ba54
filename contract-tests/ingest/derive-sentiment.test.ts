import type { Schema, StateReading } from '../../src/contract/contract.js';
import { changeSetting } from '../../src/keys/settings.js';
import { createKeyTable } from '../../src/store/keys.js';
import { batchResults, exportRows } from '../../testkit/batch.js';
import { startReceiver } from '../../testkit/receiver.js';
import { startDelivering, startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { bearer, issueToken } from '../../testkit/tokens.js';
import { startTwoServices } from '../../testkit/two-services.js';
import { until } from '../../testkit/until.js';
import { register } from '../../testkit/webhooks.js';

const distress = 'I cannot stop crying, I am so scared and everything is falling apart.';
const derive_sentiment = true;

/** Sends each text as a turn of its own session, 40 s apart. Returns the state after each turn. */
async function converse({ read, clock }: TestService, session_id: string, texts: readonly string[]) {
  const states: StateReading[] = [];
  for (const user_message of texts) {
    states.push(await read({ session_id, user_message, derive_sentiment }));
    clock.advance(40);
  }
  return states;
}

test.each([
  'What can I cook with leeks and two eggs?',
  'Please make this email to our supplier a bit shorter.',
  'I went for a walk by the river and the light was lovely',
  'thanks, that works! next question: how long do I boil barley',
  'We are planning a trip to the mountains in August and need a packing list.',
  'Our team meets on Tuesdays, so Wednesday suits me better.',
  'my sister got the job, we are celebrating tonight',
  'Explain how a heat pump works, like I am twelve',
])('a turn about a calm subject is relaxed: %s', async (user_message) => {
  const service = await startTestService();
  const [state] = await converse(service, 's1', [user_message]);
  expect(state).toMatchObject({ state: 'relaxed', signals_received: ['textual'] });
  expect(state?.derived?.sentiment).toBeGreaterThan(-0.3);
  expect(state?.confidence).toBeLessThanOrEqual(0.8);
});

test.each([
  [
    'My husband moved out last night and I do not know what to tell the kids.',
    'I keep shaking and I cannot eat. I feel sick all the time.',
    'How am I supposed to go on, I am so alone and so scared',
  ],
  [
    'they fired me today without any warning and im panicking about the rent',
    'i have debts everywhere and nobody who can help me',
    'i cant sleep, i lie awake every night and hate myself for it',
  ],
  [
    'My father died on Sunday. I am completely numb.',
    'I cry whenever somebody talks to me and I feel like I am breaking apart',
    'Nothing helps, I am exhausted and I cannot take it any more',
  ],
  [
    'I am terrified of the exam, I will fail and lose my scholarship.',
    'My heart is racing and I feel like I cannot breathe',
    'I hate how weak I am, my parents will be so ashamed of me',
  ],
])('three turns of distress reach stressed: %s', async (...texts) => {
  const states = await converse(await startTestService(), 's1', texts);
  expect(states.at(-1)?.state).toBe('stressed');
  for (const { confidence, derived } of states) {
    expect(confidence).toBeLessThanOrEqual(0.8);
    expect(derived?.sentiment).toBeLessThan(0);
  }
});

test('a sentiment that the reading states counts, and nothing is derived', async ({ service: { read } }) => {
  const stated = await read({ sentiment: 0.4, user_message: distress, derive_sentiment });
  const plain = await read({ session_id: 's2', sentiment: 0.4, user_message: distress });
  expect(stated).toEqual({ ...plain, session_id: 's1' });
});

test('a derived sentiment is fused with other signals like a stated one', async ({ service: { read } }) => {
  const both = await read({ session_id: 'both', tone: 'tense', user_message: distress, derive_sentiment });
  expect(both.signals_received).toEqual(['vocal', 'textual']);
  const sentiment = both.derived?.sentiment ?? 0;
  const { derived: _, ...rest } = both;
  const stated = await read({ session_id: 'stated', tone: 'tense', sentiment, user_message: distress });
  expect(stated).toEqual({ ...rest, session_id: 'stated' });
});

test.each([
  ['without the field', { user_message: distress }],
  ['with derive_sentiment: false', { user_message: distress, derive_sentiment: false }],
  ['without a user message', { ai_response: distress, derive_sentiment }],
])('text is not a signal %s', async (_case, body) => {
  const { ingest, read } = await startTestService();
  expect(await ingest(body)).toMatchObject({ status: 400, body: { code: 'missing_signals' } });
  expect(await read({ ...body, heart_rate: 70 })).not.toHaveProperty('derived');
});

test('a message without words is accepted, and no sentiment is guessed', async ({ service: { read, clock } }) => {
  await read({ heart_rate: 70 });
  clock.advance(5);
  const state = await read({ user_message: '?!', derive_sentiment });
  expect(state).toMatchObject({ signals_received: [], state: 'relaxed' });
  expect(state).not.toHaveProperty('derived');
  const first = await read({ session_id: 'new', user_message: '…', derive_sentiment });
  expect(first).toMatchObject({
    signals_received: [],
    confidence: 0,
    action_reason: 'No usable signal: the message has no word that the service knows.',
  });
});

test('a message in another language is accepted, and no sentiment is guessed', async ({ service: { read, clock } }) => {
  const user_message = 'No puedo dormir y tengo mucho miedo de perder mi trabajo mañana.';
  for (const [timestamp, backfill] of [
    [clock.at(-600), true],
    [clock.at(), false],
  ] as const) {
    const state = await read({ user_message, derive_sentiment, timestamp, backfill });
    expect(state).toMatchObject({ signals_received: [] });
    expect(state).not.toHaveProperty('derived');
  }
});

test('a resend returns the derived sentiment again and changes nothing', async () => {
  const { read, request, clock } = await startTestService();
  const body = { timestamp: clock.at(), user_message: distress, derive_sentiment };
  const first = await read(body);
  clock.advance(5);
  await read({ heart_rate: 70 });
  expect(await read(body)).toEqual(first);
  expect((await request('/v1/history?session_id=s1')).body.datapoints).toHaveLength(2);
  expect((await request('/v1/state?session_id=s1')).body).not.toHaveProperty('derived');
});

test('lines of a batch, backfilled readings and readings of a token derive a sentiment', async ({ service }) => {
  const body = { user_message: distress, derive_sentiment };
  const { derived } = await service.read({ session_id: 'single', ...body });
  expect(derived?.sentiment).toBeLessThan(-0.5);
  const lines = await batchResults(service, [
    { session_id: 'line', timestamp: service.clock.at(), ...body },
    { session_id: 'past', timestamp: service.clock.at(-3600), ...body, backfill: true },
    { session_id: 'plain', timestamp: service.clock.at(), user_message: distress },
  ]);
  expect(lines.map(({ state, error }) => state?.derived ?? error?.code)).toEqual([derived, derived, 'missing_signals']);
  const token = await issueToken(service, { session_id: 'token' });
  const answer = await service.post(
    '/v1/ingest',
    { session_id: 'token', timestamp: service.clock.at(), ...body },
    bearer(token),
  );
  expect(answer.body).toMatchObject({ derived });
});

test('the setting of the account is the default, and a reading overrides it', async () => {
  const { one, two, calls, clock } = await startTwoServices();
  const account =
    (await one.store.use(createKeyTable).list()).find(({ accountId }) => accountId === one.accountId)?.account ?? '';
  const body = { user_message: distress };
  for (const { ingest } of calls) expect((await ingest(body)).body.code).toBe('missing_signals');
  await changeSetting(two.store.use(createKeyTable), { account, name: 'derive-sentiment', word: 'on' }, clock.nowMs);
  for (const [index, { ingest }] of calls.entries())
    await until(
      'the setting applies',
      async () => (await ingest({ session_id: `on${index}`, ...body })).status === 200,
    );
  const { body: overridden } = await calls[0].ingest({ ...body, derive_sentiment: false });
  expect(overridden.code).toBe('missing_signals');
  const token = await issueToken(calls[0], { session_id: 'token' });
  const sent = await calls[1].post(
    '/v1/ingest',
    { session_id: 'token', timestamp: clock.at(), ...body },
    bearer(token),
  );
  expect(sent.body.derived?.sentiment).toBeLessThan(-0.5);
  await changeSetting(one.store.use(createKeyTable), { account, name: 'derive-sentiment', word: 'off' }, clock.nowMs);
  for (const { ingest } of calls)
    await until('the setting ends', async () => (await ingest({ session_id: 'off', ...body })).status === 400);
});

test('an export marks a derived sentiment, and importing its readings gives the same scores', async ({ service }) => {
  const { clock, read, request } = service;
  for (const user_message of [distress, 'I fed the cat and the sun is out.']) {
    await read({ user_message, derive_sentiment });
    clock.advance(30);
  }
  await read({ sentiment: -0.2 });
  const rows = await exportRows(service);
  const [first, second, stated] = rows;
  expect(first?.computed.sentiment).toBeLessThan(-0.5);
  for (const row of [first, second]) expect(row?.reading.sentiment).toBe(row?.computed.sentiment);
  expect(stated?.computed).not.toHaveProperty('sentiment');
  const csv: string[][] = (await request('/v1/export?format=csv')).body
    .trim()
    .split('\r\n')
    .map((row: string) => row.split(','));
  const column = csv[0]?.indexOf('derived_sentiment') ?? -1;
  expect(csv.slice(1).map((row) => row[column])).toEqual([
    String(first?.computed.sentiment),
    String(second?.computed.sentiment),
    '',
  ]);
  const empty = await startTestService();
  await batchResults(
    empty,
    rows.map(({ reading }) => ({ ...reading, backfill: true })),
  );
  const history = '/v1/history?session_id=s1&minutes=60';
  expect((await empty.request(history)).body).toEqual((await request(history)).body);
});

const german = 'Ich kann seit Tagen nicht schlafen, und niemand hört mir zu.';

test.each([
  [german, 'No usable signal: the message is not in English.'],
  ['asdf', 'No usable signal: the message has no word that the service knows.'],
])('a message that the service cannot read claims nothing: %s', async (user_message, action_reason) => {
  const { read, request } = await startTestService();
  const state = await read({ user_message, derive_sentiment });
  const nothing = { confidence: 0, suggested_action: 'maintain_engagement', action_reason };
  expect(state).toMatchObject({ ...nothing, state: 'relaxed' });
  expect(state).not.toHaveProperty('recommendation');
  const later = (await request('/v1/state?session_id=s1')).body;
  expect(later).toMatchObject(nothing);
  expect(later).not.toHaveProperty('recommendation');
});

test('without a usable signal, the score stays the last one, and no event leads into or out of the neutral prior', async () => {
  const service = await startDelivering();
  const receiver = await startReceiver();
  await register(service, receiver.url);
  const { read, request, clock } = service;
  const [unread] = await converse(service, 'new', [german]);
  const [first] = await converse(service, 'new', [distress]);
  expect(first).not.toHaveProperty('adaptation_effectiveness');
  expect([unread?.state, first?.state]).toEqual(['relaxed', 'stressed']);
  clock.advance(600);
  const stale = (await request('/v1/state?session_id=new')).body;
  expect(stale).toMatchObject({ confidence: 0, suggested_action: 'maintain_engagement' });
  expect(stale.action_reason).toBe('No usable signal: none of the last 5 minutes counts.');
  const again = await read({ session_id: 'new', user_message: german, derive_sentiment });
  expect(again).toMatchObject({ state: 'stressed', stress_score: first?.stress_score, confidence: 0 });
  // The only change: from the last score, not from the prior.
  await read({ session_id: 'new', tone: 'calm', timestamp: clock.at(1) });
  const payloads = async () =>
    (await request('/webhooks/deliveries')).body.deliveries.map(({ payload }: Schema<'Delivery'>) => payload);
  await until('a delivery', async () => (await payloads()).length > 0);
  expect(await payloads()).toMatchObject([{ previous_state: 'stressed' }]);
});
