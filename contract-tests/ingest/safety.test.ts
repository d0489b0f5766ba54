import { batchResults } from '../../testkit/batch.js';
import { openStream } from '../../testkit/event-source.js';
import { startReceiver } from '../../testkit/receiver.js';
import { startDelivering, startTestService } from '../../testkit/service.js';
import { everythingStored } from '../../testkit/stored.js';
import { expect, test } from '../../testkit/test.js';
import { bearer, issueToken } from '../../testkit/tokens.js';
import { register } from '../../testkit/webhooks.js';
import { connectAgent } from '../../testkit/mcp-tools.js';

const guidance = {
  suicidal_thoughts: 'The message may describe suicidal thoughts. Follow your crisis procedure.',
  self_harm: 'The message may describe self-harm. Follow your crisis procedure.',
  violence: 'The message may describe violence against the person. Follow your crisis procedure.',
} as const;
const danger = 'I want to kill myself';
const found = { kind: 'suicidal_thoughts', guidance: guidance.suicidal_thoughts };
const german = 'Ich kann seit Tagen nicht schlafen, mir ist alles zu viel';
const germanDanger = 'Ich will nicht mehr leben, mir ist alles zu viel';
const anna = { subject_id: 'anna', heart_rate: 80 } as const;
const calm = { heart_rate: 60, tone: 'calm', expression: 'relaxed', sentiment: 0.9 } as const;
const stressed = { heart_rate: 120, tone: 'hostile', expression: 'tense', sentiment: -1 } as const;

test.each([
  [danger, 'suicidal_thoughts'],
  ['I cut myself again last night', 'self_harm'],
  ['My husband hits me when he drinks', 'violence'],
] as const)(
  '"%s" has a safety finding of its kind, with and without a response of the assistant',
  async (text, kind) => {
    const { read } = await startTestService();
    const expected = { text_analysis: { status: 'analyzed' }, safety: { kind, guidance: guidance[kind] } };
    expect(await read({ ...anna, user_message: text })).toMatchObject(expected);
    expect(await read({ ...anna, user_message: text, ai_response: 'I am here.' })).toMatchObject(expected);
  },
);

test('a message without danger is analyzed and has no safety finding', async ({ service: { read } }) => {
  const state = await read({ ...anna, user_message: 'My exam is tomorrow and this game is killing me' });
  expect(state.text_analysis).toEqual({ status: 'analyzed' });
  expect(state).not.toHaveProperty('safety');
});

test('a message that is not in English is checked for statements of a danger only', async ({ service: { read } }) => {
  const state = await read({ ...anna, user_message: german, ai_response: 'My exam is tomorrow' });
  expect(state.text_analysis).toEqual({
    status: 'unsupported_language',
    detail:
      'The message is not in English. It was checked for explicit statements of a danger only, in nine languages, and for no topics.',
  });
  expect(state).not.toHaveProperty('safety');
  expect(state.topics_detected).toEqual([]);
  const { text_analysis, safety } = await read({ ...anna, user_message: germanDanger });
  const expected = { ...found, guidance: `${found.guidance} Answer in the language of the message.` };
  expect([text_analysis?.status, safety]).toEqual(['unsupported_language', expected]);
});

test('a message without a known word, in no certain language, is not understood', async ({ service: { read } }) => {
  for (const user_message of ['brb gymzz', '😂😂😂', 'zorb'])
    expect((await read({ ...anna, user_message })).text_analysis).toEqual({
      status: 'not_understood',
      detail: 'The message has no word that the service knows. Nothing is claimed about it.',
    });
});

test("no response with a safety finding recommends to continue, whatever the person's state is", async () => {
  for (const user_message of [danger, germanDanger, 'zorb envie de mourir'])
    for (const reading of [{ derive_sentiment: true }, { ...calm, derive_sentiment: true }, calm]) {
      const { read, clock } = await startTestService();
      const state = await read({ ...reading, subject_id: 'anna', user_message });
      expect(state).toMatchObject({ suggested_action: 'pause_and_ground', safety: { kind: 'suicidal_thoughts' } });
      expect(state.recommendation).toMatch(/^Pause the task and respond to the person first/);
      clock.advance(1);
      const next = await read({ subject_id: 'anna', ...calm });
      expect(next).not.toHaveProperty('safety');
      expect(next.recommendation).not.toMatch(/crisis/);
    }
});

test('where the sentiment is derived, a finding is as strong as the most severe words, and a calm heart pulls against it', async () => {
  const { read, clock } = await startTestService();
  const send = (session_id: string, user_message: string) =>
    read({ session_id, timestamp: clock.at(), user_message, derive_sentiment: true });
  const alone = await send('s1', danger);
  expect(alone).toMatchObject({ state: 'stressed', derived: (await send('s2', 'My boyfriend hit me again.')).derived });
  for (const [i, inOtherLanguage] of [germanDanger, 'Quiero morir', '我想自杀'].entries()) {
    const { state, stress_score, action_reason, recommendation, derived } = alone;
    const same = { state, stress_score, action_reason, recommendation, derived };
    expect(await send(`other-${i}`, inOtherLanguage)).toMatchObject(same);
  }
  for (let i = 0; i < 10; i++, clock.advance(2)) await read({ session_id: 's3', heart_rate: 55, tone: 'calm' });
  expect((await send('s3', danger)).stress_score).toBeLessThan(alone.stress_score);
  expect(await read({ session_id: 's4', ...calm, user_message: danger })).toMatchObject({ state: 'calm' });
});

test('only the own words of a person are judged', async ({ service: { read, post, key, clock } }) => {
  const ai_response = 'I am here.';
  const others = `<context>My mother died. ${danger}</context>`;
  const state = await read({ ...anna, user_message: `${others}\nWhich page says so?`, ai_response });
  expect(state).toMatchObject({ text_analysis: { status: 'analyzed' }, topics_detected: [] });
  const nothing = await read({ ...anna, user_message: others, ai_response });
  expect(nothing).toMatchObject({ topics_detected: [] });
  for (const it of [state, nothing]) expect(it).not.toHaveProperty('safety');
  expect(nothing.text_analysis).toEqual({ status: 'no_own_words', removed: ['context'] });
  expect((await read({ ...anna, user_message: `<context>${danger}` })).safety).toEqual(found);
  const alone = { session_id: 's9', timestamp: clock.at(), user_message: others, derive_sentiment: true };
  const refused = await post('/v1/ingest', alone, { 'X-Service-Key': key });
  expect([refused.status, refused.body.code]).toEqual([400, 'missing_signals']);
});

test('a reading without a user message, or of the past, is not checked', async ({ service: { read, clock } }) => {
  for (const reading of [
    { heart_rate: 80 },
    { ...anna, ai_response: danger },
    { ...anna, user_message: danger, backfill: true, timestamp: clock.at(-600) },
  ])
    for (const field of ['text_analysis', 'safety']) expect(await read(reading)).not.toHaveProperty(field);
});

test('a turn with a safety finding has no topics, and the same turn without it has topics', async ({ service }) => {
  const ai_response = 'What worries you most about the exam?';
  const concern = 'I am failing my exam and I cannot sleep because of it.';
  const { topics_detected, safety } = await service.read({
    ...anna,
    user_message: `${concern} ${danger}.`,
    ai_response,
  });
  expect([topics_detected, safety]).toEqual([[], found]);
  expect((await service.request('/v1/triggers?subject_id=anna')).body.triggers).toEqual({});
  expect((await service.read({ ...anna, user_message: concern, ai_response })).topics_detected).toContain('exams');
});

test('a resend computes the safety finding again, and reads nothing of it from the database', async () => {
  const { read, clock } = await startTestService();
  const reading = { ...anna, timestamp: clock.at(), user_message: danger, ai_response: 'I am here.' };
  const first = await read(reading);
  expect(first.safety).toEqual(found);
  expect(await read(reading)).toEqual(first);
  expect(await read({ ...reading, backfill: true })).not.toHaveProperty('safety');
});

test('each live line of a batch is checked', async ({ service }) => {
  const line = { session_id: 's1', timestamp: service.clock.at(), subject_id: 'anna', heart_rate: 80 };
  const past = { ...line, timestamp: service.clock.at(-600), backfill: true };
  const results = await batchResults(service, [
    { ...line, user_message: danger },
    { ...line, user_message: german },
    { ...line, user_message: 'ok' },
    { ...past, user_message: danger },
    line,
  ]);
  expect(results.map(({ state }) => [state?.text_analysis?.status, state?.safety])).toEqual([
    ['analyzed', found],
    ['unsupported_language', undefined],
    ['analyzed', undefined],
    [undefined, undefined],
    [undefined, undefined],
  ]);
});

test('a reading with a session token is checked', async ({ service }) => {
  const token = bearer(await issueToken(service, { subject_id: 'anna' }));
  const reading = { session_id: 's1', timestamp: service.clock.at(), heart_rate: 80, user_message: danger };
  expect((await service.post('/v1/ingest', reading, token)).body.safety).toEqual(found);
});

test('the result of the tool ingest starts with the safety finding', async ({ service: { url, key } }) => {
  const client = await connectAgent({ url, key });
  const result = await client.callTool({
    name: 'ingest',
    arguments: { session_id: 's1', ...anna, user_message: danger },
  });
  const [first] = result.content as Array<{ text: string }>;
  expect(first?.text).toMatch(/^\{"safety":/);
  expect(result.structuredContent).toMatchObject({ safety: found });
});

test('no text and no safety finding reaches a table, log, webhook, stream, export or later response', async () => {
  const service = await startDelivering();
  const receiver = await startReceiver();
  await register(service, receiver.url);
  const stream = await openStream(service);
  const marker = 'xylophone-quokka-marker';
  const ai_response = `I am here, ${marker}`;
  await service.read({ subject_id: 'anna', ...calm, user_message: `${danger}, ${marker}`, ai_response });
  await service.read({ session_id: 's2', user_message: `We baked bread, ${marker}`, derive_sentiment: true });
  service.clock.advance(2);
  const reading = { subject_id: 'anna', ...stressed, timestamp: service.clock.at() };
  const { safety } = await service.read({ ...reading, user_message: `He beats me, ${marker}`, ai_response });
  await service.read({ ...reading, user_message: `${german} ${marker}`, ai_response });
  await service.read({ ...reading, user_message: `${german} ${marker}`, ai_response });
  await batchResults(service, [{ session_id: 's1', ...reading, user_message: `I cut myself again, ${marker}` }]);
  expect(safety?.kind).toBe('violence');
  const places: Record<string, string> = {
    webhook: JSON.stringify(await receiver.until(1)),
    stream: (await stream.until(4), stream.text()),
  };
  for (const path of [
    'state?session_id=s1',
    'history?session_id=s1',
    'triggers?subject_id=anna',
    'subjects/anna',
    'sessions',
    'export?subject_id=anna',
    'export?subject_id=anna&format=csv',
  ])
    places[path] = JSON.stringify((await service.request(`/v1/${path}`)).body);
  places['database'] = await everythingStored(service.database);
  places['log'] = service.logs.join('');
  const secrets = [marker, 'crisis procedure', 'suicidal', 'self_harm', 'violence', 'unsupported_language', 'safety'];
  const leaks = Object.entries(places).filter(([, text]) => secrets.some((secret) => text.includes(secret)));
  expect(leaks.map(([place]) => place)).toEqual([]);
});
