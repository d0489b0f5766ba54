import { expect, test } from 'vitest';
import { startReceiver } from '../../testkit/receiver.js';
import { startTestService } from '../../testkit/service.js';
import { storyEnv } from '../../testkit/story.js';
import { startStory } from '../../testkit/webhooks.js';

test('every state transition is delivered to the webhook once and in order', async () => {
  const service = await startTestService({ env: { WORKER: '1', ...storyEnv } });
  const receiver = await startReceiver();
  const { status } = await service.post('/webhooks/register', { url: receiver.url, events: ['state_change'] });
  expect(status).toBe(201);
  const { change } = await startStory(service);
  for (let index = 0; index < 9; index += 1) await change();
  const events = (await receiver.until(9)).map(({ event }) => event);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(9);
  expect(events.slice(1).map(({ previous_state }) => previous_state)).toEqual(
    events.slice(0, -1).map(({ new_state }) => new_state),
  );
});
