import { describe, expect, test, vi } from 'vitest';
import { createStateClient } from '../../src/index.js';
import { sdks, startAdapting } from './adapting.js';
import { startFaultyProxy } from '../../../../testkit/faulty-proxy.js';
import { until } from '../../../../testkit/until.js';

const never = () => new Promise<undefined>(() => undefined);
const unreachable = createStateClient({ baseUrl: 'http://127.0.0.1:9', key: 'sk_1' });

describe.each(sdks)('version $version of the AI SDK', (sdk) => {
  const { generateText } = sdk.ai;

  test('the model responds without a service, and the error is reported', async () => {
    const options = { client: unreachable, signals: () => ({ heart_rate: 95 }) };
    const { model, errors, systemOf } = await startAdapting(sdk, options);
    expect((await generateText({ model, prompt: 'Hello' })).text).toBe('Which part worries you?');
    expect(systemOf(0)).toBeUndefined();
    expect(errors).toMatchObject([{ name: 'ConnectionError' }]);
  });

  test('the model responds after the time limit if signals() never settles, and the error names it', async () => {
    const { model, errors } = await startAdapting(sdk, { signals: never, call: { timeoutMs: 50 } });
    expect((await generateText({ model, prompt: 'Hello' })).text).toBe('Which part worries you?');
    expect(errors).toMatchObject([{ name: 'TimeoutError', message: expect.stringContaining('signals()') }]);
  });

  test('signals that settle after the time limit are not sent', async () => {
    let settle = (_: { heart_rate: number }): void => undefined;
    const late = new Promise<{ heart_rate: number }>((resolve) => (settle = resolve));
    const ingest = vi.fn();
    const options = { signals: () => late, call: { timeoutMs: 50 }, client: { ingest, state: unreachable.state } };
    const { model } = await startAdapting(sdk, options);
    await generateText({ model, prompt: 'Hello' });
    settle({ heart_rate: 95 });
    await late;
    await new Promise(setImmediate);
    expect(ingest).not.toHaveBeenCalled();
  });

  test('the time limit covers all attempts of a call to a service that does not respond', async () => {
    const proxy = await startFaultyProxy('http://127.0.0.1:9', Array(9).fill('slow'));
    const client = createStateClient({ baseUrl: proxy, key: 'sk_1' });
    const { model, errors } = await startAdapting(sdk, { client, call: { timeoutMs: 50, maxRetries: 9 } });
    expect((await generateText({ model, prompt: 'Hello' })).text).toBe('Which part worries you?');
    expect(errors).toMatchObject([{ name: 'TimeoutError', timeoutMs: 50 }]);
  });

  test.each(['before', 'during'])(
    'abortSignal ends a response %s signals(), and the model is not called',
    async (when) => {
      const controller = new AbortController();
      const { mock, model, errors } = await startAdapting(sdk, {
        async signals() {
          controller.abort();
          return never();
        },
      });
      if (when === 'before') controller.abort();
      const answer = generateText({ model, prompt: 'Hello', abortSignal: controller.signal });
      await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
      expect([mock.doGenerateCalls, errors]).toEqual([[], []]);
    },
  );

  test('an onError that throws or rejects is ignored', async () => {
    const failures = [() => fail(), async () => fail()];
    for (const onError of failures) {
      const { model } = await startAdapting(sdk, { client: unreachable, onError });
      expect((await generateText({ model, prompt: 'Hello' })).text).toBe('Which part worries you?');
    }
  });

  test('an error of onState is reported, and the prompt keeps the state', async () => {
    for (const onState of [() => fail(), async () => fail()]) {
      const { service, model, errors, systemOf } = await startAdapting(sdk, { onState });
      await service.read({ heart_rate: 95 });
      await generateText({ model, prompt: 'Hello' });
      await until('the error of onState', () => errors.length === 1);
      expect(errors).toMatchObject([{ message: 'broken' }]);
      expect(systemOf(0)).toContain('stress state');
    }
  });
});

function fail(): never {
  throw new Error('broken');
}
