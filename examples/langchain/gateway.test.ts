import { expect, onTestFinished, test, vi } from 'vitest';
import { distress, startStage } from '../../packages/gateway/tests/stage.js';
import { createAdaptiveModel } from './gateway.js';

test('the LangChain example adapts, with and without streaming', async () => {
  const { service, upstream, url, scores } = await startStage();
  vi.stubEnv('OPENAI_API_KEY', 'model-key');
  onTestFinished(() => void vi.unstubAllEnvs());
  const model = createAdaptiveModel({ stateKey: service.key, sessionId: 's1', subjectId: 'anna' }, url, 'm');
  expect((await model.invoke(distress)).content).toBe('Which part worries you?');
  let text = '';
  for await (const chunk of await model.stream('It is better now.')) text += chunk.text;
  expect(text).toBe('Which part worries you?');
  for (const request of upstream.requests)
    expect(JSON.parse(request.body).messages[0]).toMatchObject({
      role: 'system',
      content: expect.stringMatching(/^The person/),
    });
  expect(await scores(4)).toHaveLength(4);
});
