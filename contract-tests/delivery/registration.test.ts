import { expect, test } from 'vitest';
import { expandEvents } from '../../src/webhooks/expand.js';
import { storyEnv } from '../../testkit/story.js';
import { startTestService } from '../../testkit/service.js';
import { deliveriesOf, register, startStory, webhookOf } from '../../testkit/webhooks.js';

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

test('a webhook with states gets only the changes to these states, and a test event', async () => {
  const service = await startTestService({ env: storyEnv });
  const { store, clock } = service;
  const stressed = await register(service, 'https://8.8.8.8/stressed', { states: ['stressed', 'acute_stress'] });
  const all = await register(service, 'https://8.8.8.8/all');
  const story = await startStory(service);
  const told: string[] = [];
  const change = async () => told.push((await story.change()).state);
  for (let index = 0; index < 4; index += 1) await change();
  await expandEvents(store, clock.now);
  const states = async (id: string) =>
    (await deliveriesOf(service, id)()).map(({ payload }) => JSON.parse(payload).new_state as string);
  const isStressed = (state: string) => state === 'stressed' || state === 'acute_stress';
  expect(told.filter(isStressed)).toHaveLength(2);
  expect(await states(all.id)).toEqual(told);
  expect(await states(stressed.id)).toEqual(told.filter(isStressed));

  const again = (rest: object) =>
    service.post('/webhooks/register', { url: stressed.url, events: ['state_change'], ...rest });
  expect((await again({})).body.states).toEqual(['stressed', 'acute_stress']);
  expect(await again({ states: ['calm', 'relaxed'] })).toMatchObject({
    status: 200,
    body: { id: stressed.id, states: ['calm', 'relaxed'] },
  });
  expect((await webhookOf(service, stressed.id)).states).toEqual(['calm', 'relaxed']);
  expect(await webhookOf(service, all.id)).not.toHaveProperty('states');
  const earlier = told.length;
  for (let index = 0; index < 2; index += 1) await change();
  await expandEvents(store, clock.now);
  const later = told.slice(earlier).filter((it) => !isStressed(it));
  expect(later).toHaveLength(1);
  expect(await states(stressed.id)).toEqual([...told.slice(0, earlier).filter(isStressed), ...later]);
  await service.post(`/webhooks/${stressed.id}/test`);
  expect(await states(stressed.id)).toHaveLength(4);
});
