import { expect, test } from 'vitest';
import { createStateClient, type ProblemError, type Submission } from '../src/index.js';
import { startTestService } from '../../../testkit/service.js';

async function messagesOf(): Promise<{
  ingest(submission: Record<string, unknown>): Promise<string>;
  history(minutes: number): Promise<string>;
  state(sessionId: string): Promise<string>;
  register(): Promise<string>;
}> {
  const { url, key, clock } = await startTestService();
  const client = createStateClient({ baseUrl: url, key });
  const messageOf = (call: Promise<unknown>) =>
    call.then(
      () => 'no error',
      (error: ProblemError) => error.message,
    );
  const base = { session_id: 's1', timestamp: clock.at() };
  return {
    ingest: (signals) => messageOf(client.ingest({ ...base, ...signals } as Submission)),
    history: (minutes) => messageOf(client.history('s1', minutes)),
    state: (sessionId) => messageOf(client.state(sessionId)),
    register: () =>
      messageOf(client.webhooks.register({ url: 'https://example.com/', events: ['x' as 'state_change'] })),
  };
}

test('the message of a validation error names the field', async () => {
  const { ingest, history, register } = await messagesOf();
  expect(await ingest({ sentiment: 'bad' })).toBe('sentiment: Input should be a valid number');
  expect(await history(0)).toBe('minutes: Input should be greater than or equal to 1');
  expect(await register()).toMatch(/^events\/0: Input should be /);
});

test('the message joins several validation errors with "; "', async () => {
  const { ingest } = await messagesOf();
  const message = await ingest({ sentiment: 'bad', heart_rate: 'fast' });
  expect(message.split('; ').sort()).toEqual([
    'heart_rate: Input should be a valid number',
    'sentiment: Input should be a valid number',
  ]);
});

test('a field name with "/" or "~" appears as the caller wrote it', async () => {
  const { ingest } = await messagesOf();
  expect(await ingest({ heart_rate: 70, 'a/b~c': 1 })).toMatch(/^a\/b~c: /);
});

test('the message of an error without a field is the detail', async () => {
  const { state } = await messagesOf();
  expect(await state('none')).toBe('No data for this session');
});
