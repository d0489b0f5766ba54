import { generateText, jsonSchema, simulateReadableStream, stepCountIs, streamText, tool, wrapLanguageModel } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { expect, test } from 'vitest';
import { type AdaptOptions, adaptToState } from '../../clients/typescript/src/ai-sdk.js';
import { createStateClient, type StateReading } from '../../clients/typescript/src/index.js';
import { startTestService } from '../support/service.js';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};
const finished = { finishReason: { unified: 'stop' as const, raw: 'stop' }, usage, warnings: [] };
const answering = (text: string) => ({ ...finished, content: [{ type: 'text' as const, text }] });

/** Returns a model that records its prompts and responds with a text. */
async function adapting(options: Partial<AdaptOptions> = {}, text = 'Which part worries you?') {
  const service = await startTestService();
  const client = createStateClient({ baseUrl: service.url, key: service.key });
  const states: StateReading[] = [];
  const errors: unknown[] = [];
  const mock = new MockLanguageModelV3({ doGenerate: async () => answering(text) });
  const middleware = adaptToState({
    ...{ client, sessionId: 's1', call: {} },
    onState: (reading) => void states.push(reading),
    onError: (error) => void errors.push(error),
    ...options,
  });
  const systemOf = (index: number) =>
    mock.doGenerateCalls[index]?.prompt.find(({ role }) => role === 'system')?.content;
  return {
    service,
    client,
    mock,
    middleware,
    model: wrapLanguageModel({ model: mock, middleware }),
    states,
    errors,
    systemOf,
  };
}

test('the recommendation is appended to the system prompt', async () => {
  const { service, model, systemOf } = await adapting();
  const { recommendation } = await service.read({ heart_rate: 120, tone: 'hostile', sentiment: -1 });
  await generateText({ model, system: 'You are a coach.', prompt: 'Hello' });
  await generateText({ model, prompt: 'Hello' });
  expect(systemOf(0)).toMatch(/^You are a coach\.\n\nThe person's current stress state is "/);
  expect(systemOf(1)).toContain(recommendation);
});

test('a turn is sent with the signals before the next response, and the effectiveness is reported', async () => {
  const { model, client, states } = await adapting({
    subjectId: 'anna',
    signals: () => ({ timestamp: new Date().toISOString(), heart_rate: 95, tone: 'tense' }),
  });
  await generateText({ model, prompt: 'My exam is tomorrow and I panic.' });
  expect(states[0]?.topics_detected).toEqual([]);
  await generateText({ model, prompt: 'The second part.' });
  expect(states[1]?.topics_detected).toEqual(['exams']);
  expect(states[1]?.adaptation_effectiveness).toMatchObject({ previous_score: states[0]?.stress_score });
  expect(Object.keys((await client.triggers('anna')).triggers)).toEqual(['exams']);
});

test('the text of a streamed response is sent with the next signals', async () => {
  const { mock, model, states } = await adapting({ subjectId: 'ben', signals: () => ({ heart_rate: 95 }) });
  mock.doStream = async () => ({
    stream: simulateReadableStream({
      chunks: [
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: 'Which part of the ' },
        { type: 'text-delta', id: '1', delta: 'exam?' },
        { type: 'text-end', id: '1' },
        { type: 'finish', ...finished },
      ],
    }),
  });
  const stream = () => streamText({ model, prompt: 'My exam is tomorrow and I panic.' });
  expect(await stream().text).toBe('Which part of the exam?');
  await stream().text;
  expect(states.map(({ topics_detected }) => topics_detected)).toEqual([[], ['exams']]);
});

test('a turn with tool calls reads the state once and keeps its instruction', async () => {
  const { service, mock, model, states, systemOf } = await adapting();
  await service.read({ heart_rate: 95 });
  const toolCall = { type: 'tool-call' as const, toolCallId: '1', toolName: 'clock', input: '{}' };
  const steps = [
    { ...finished, finishReason: { unified: 'tool-calls' as const, raw: 'x' }, content: [toolCall] },
    answering('Noon.'),
  ];
  mock.doGenerate = async () => steps.shift() ?? answering('');
  const clock = tool({ inputSchema: jsonSchema({ type: 'object', properties: {} }), execute: () => '12:00' });
  await generateText({ model, prompt: 'What time is it?', tools: { clock }, stopWhen: stepCountIs(2) });
  expect(states).toHaveLength(1);
  expect(systemOf(1)).toBe(systemOf(0));
});

test('with deriveSentiment, each message gets a state before its response, without any signal', async () => {
  const { model, errors, states, systemOf } = await adapting({ deriveSentiment: true });
  await generateText({ model, prompt: 'How do I prune a rose?' });
  await generateText({ model, prompt: 'I cannot stop crying, I am so scared and everything is falling apart.' });
  expect(states.map(({ state }) => state)).toEqual(['relaxed', 'stressed']);
  expect(systemOf(1)).toContain('"stressed"');
  expect(errors).toEqual([]);
});

test('with deriveSentiment and a subject, a message is sent with the previous response and yields topics', async () => {
  const { model, client, states } = await adapting({ deriveSentiment: true, subjectId: 'clara' });
  await generateText({ model, prompt: 'Hello there' });
  await generateText({ model, prompt: 'My exam is tomorrow and I panic.' });
  expect(states.map(({ topics_detected }) => topics_detected)).toEqual([[], ['exams']]);
  expect(Object.keys((await client.triggers('clara')).triggers)).toEqual(['exams']);
});

test('no text is sent without a subject', async () => {
  const { model, errors, states } = await adapting({ signals: () => ({ heart_rate: 95 }) });
  for (let turn = 0; turn < 2; turn += 1) await generateText({ model, prompt: 'My exam is tomorrow and I panic.' });
  expect(states.map(({ topics_detected }) => topics_detected)).toEqual([[], []]);
  expect(errors).toEqual([]);
});

test('a session without data adds nothing', async () => {
  const { model, errors, systemOf } = await adapting({ sessionId: 'new' });
  await generateText({ model, prompt: 'Hello' });
  expect([systemOf(0), errors]).toEqual([undefined, []]);
});

test('the model responds without a service, and the error is reported', async () => {
  const unreachable = createStateClient({ baseUrl: 'http://127.0.0.1:9', key: 'sk_1' });
  const { model, errors, systemOf } = await adapting({ client: unreachable, signals: () => ({ heart_rate: 95 }) });
  expect((await generateText({ model, prompt: 'Hello' })).text).toBe('Which part worries you?');
  expect(systemOf(0)).toBeUndefined();
  expect(errors).toMatchObject([{ name: 'ConnectionError' }]);
});
