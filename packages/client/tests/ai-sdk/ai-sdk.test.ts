import { describe, expect, test } from 'vitest';
import { signalAges } from '../../../../generated/spec.js';
import { answering, finished, sdks, startAdapting } from './adapting.js';

describe.each(sdks)('version $version of the AI SDK', (sdk) => {
  const { generateText, jsonSchema, stepCountIs, streamText, tool } = sdk.ai;

  test('the state, its reason and the recommendation are appended to the system prompt', async () => {
    const { service, model, systemOf } = await startAdapting(sdk);
    const { recommendation, action_reason } = await service.read({ heart_rate: 120, tone: 'hostile', sentiment: -1 });
    await generateText({ model, system: 'You are a coach.', prompt: 'Hello' });
    await generateText({ model, prompt: 'Hello' });
    expect(systemOf(0)).toMatch(/^You are a coach\.\n\nThe person's current stress state is "/);
    expect(systemOf(1)).toContain(`Reason: ${action_reason} ${recommendation}`);
  });

  test('a turn is sent with the signals before the next response, and the effectiveness is reported', async () => {
    const { model, client, states } = await startAdapting(sdk, {
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
    const parts = [
      { type: 'text-start' as const, id: '1' },
      { type: 'text-delta' as const, id: '1', delta: 'Which part of the ' },
      { type: 'text-delta' as const, id: '1', delta: 'exam?' },
      { type: 'text-end' as const, id: '1' },
      { type: 'finish' as const, ...finished },
    ];
    const options = { subjectId: 'ben', signals: () => ({ heart_rate: 95 }) };
    const { model, states } = await startAdapting(sdk, options, { parts });
    const stream = () => streamText({ model, prompt: 'My exam is tomorrow and I panic.' });
    expect(await stream().text).toBe('Which part of the exam?');
    await stream().text;
    expect(states.map(({ topics_detected }) => topics_detected)).toEqual([[], ['exams']]);
  });

  test('a turn with tool calls reads the state once and keeps its instruction', async () => {
    const toolCall = { type: 'tool-call' as const, toolCallId: '1', toolName: 'clock', input: '{}' };
    const steps = [
      { ...finished, finishReason: { unified: 'tool-calls' as const, raw: 'x' }, content: [toolCall] },
      answering('Noon.'),
    ];
    const generate = () => steps.shift() ?? answering('');
    const { service, model, states, systemOf } = await startAdapting(sdk, {}, { generate });
    await service.read({ heart_rate: 95 });
    const clock = tool({ inputSchema: jsonSchema({ type: 'object', properties: {} }), execute: () => '12:00' });
    await generateText({ model, prompt: 'What time is it?', tools: { clock }, stopWhen: stepCountIs(2) });
    expect(states).toHaveLength(1);
    expect(systemOf(0)).toContain('stress state');
    expect(systemOf(1)).toBe(systemOf(0));
  });

  test('with deriveSentiment, each message gets a state before its response, without any signal', async () => {
    const { model, errors, states, systemOf } = await startAdapting(sdk, { deriveSentiment: true });
    await generateText({ model, prompt: 'How do I prune a rose?' });
    await generateText({ model, prompt: 'I cannot stop crying, I am so scared and everything is falling apart.' });
    expect(states.map(({ state }) => state)).toEqual(['relaxed', 'stressed']);
    expect(systemOf(1)).toContain('"stressed"');
    expect(errors).toEqual([]);
  });

  test('with deriveSentiment, only the own words of the person are sent, also after a long context', async () => {
    const { model, errors, states } = await startAdapting(sdk, { deriveSentiment: true });
    const context = `<context>${'I want to die. '.repeat(400)}</context>`;
    await generateText({ model, prompt: `${context}\nHow do I prune a rose?` });
    await generateText({ model, prompt: context });
    expect(states.map(({ state, safety }) => [state, safety])).toEqual([
      ['relaxed', undefined],
      ['relaxed', undefined],
    ]);
    expect(errors).toEqual([]);
  });

  test('with deriveSentiment and a subject, a message is sent with the previous response and yields topics', async () => {
    const { model, client, states } = await startAdapting(sdk, { deriveSentiment: true, subjectId: 'clara' });
    await generateText({ model, prompt: 'Hello there' });
    await generateText({ model, prompt: 'My exam is tomorrow and I panic.' });
    expect(states.map(({ topics_detected }) => topics_detected)).toEqual([[], ['exams']]);
    expect(Object.keys((await client.triggers('clara')).triggers)).toEqual(['exams']);
  });

  test('the prompt contains active triggers only with shareTriggers', async () => {
    const turn = { user_message: 'My exam is tomorrow and I panic.', ai_response: 'Which part?', subject_id: 'anna' };
    const prompts = [];
    for (const shareTriggers of [false, true]) {
      const { service, model, systemOf } = await startAdapting(sdk, { shareTriggers });
      for (const seconds of [-60, -30])
        await service.read({ ...turn, tone: 'hostile', sentiment: -1, timestamp: service.clock.at(seconds) });
      await generateText({ model, prompt: 'Hello' });
      prompts.push(systemOf(0));
    }
    expect(prompts[0]).not.toContain('exams');
    expect(prompts[1]).toMatch(/Topics that go with more stress: .*exams/);
  });

  test('no text is sent without a subject', async () => {
    const { model, errors, states } = await startAdapting(sdk, { signals: () => ({ heart_rate: 95 }) });
    for (let turn = 0; turn < 2; turn += 1) await generateText({ model, prompt: 'My exam is tomorrow and I panic.' });
    expect(states.map(({ topics_detected }) => topics_detected)).toEqual([[], []]);
    expect(errors).toEqual([]);
  });

  test('an outdated state, with confidence 0, never changes the prompt', async () => {
    const { service, model, errors, states, systemOf } = await startAdapting(sdk);
    await service.read({ heart_rate: 120, tone: 'hostile', sentiment: -1 });
    service.clock.advance(signalAges.stale_after_seconds);
    await generateText({ model, prompt: 'Hello' });
    await generateText({ model, system: 'You are a coach.', prompt: 'Hello' });
    await service.read({ heart_rate: 64 });
    await generateText({ model, prompt: 'Hello' });
    expect(states.map(({ confidence }) => confidence > 0)).toEqual([false, false, true]);
    expect([systemOf(0), systemOf(1)]).toEqual([undefined, 'You are a coach.']);
    expect(systemOf(2)).toContain('stress state');
    expect(errors).toEqual([]);
  });

  test('a session without data adds nothing', async () => {
    const { model, errors, systemOf } = await startAdapting(sdk, { sessionId: 'new' });
    await generateText({ model, prompt: 'Hello' });
    expect([systemOf(0), errors]).toEqual([undefined, []]);
  });
});
