import { expect, test } from 'vitest';
import { expandEvents } from '../../src/delivery/expand.js';
import { storyEnv } from '../support/story.js';
import { startTestService } from '../support/service.js';
import { deliveriesOf, register, startStory } from '../support/webhooks.js';

test('a webhook never gets events from before its registration, however late they are expanded', async () => {
  const service = await startTestService({ env: storyEnv });
  const { store, clock } = service;
  const early = await register(service, 'https://8.8.8.8/early');
  const story = await startStory(service);
  await story.change();
  clock.advance(1);
  const late = await register(service, 'https://8.8.8.8/late');
  clock.advance(1);
  await story.change();
  await expandEvents(store, clock.now);
  const states = async (id: string) =>
    (await deliveriesOf(service, id)()).map(({ payload }) => JSON.parse(payload).new_state as string);
  const [first, second, ...others] = await states(early.id);
  expect([typeof first, typeof second, others]).toEqual(['string', 'string', []]);
  expect(await states(late.id)).toEqual([second]);
});
