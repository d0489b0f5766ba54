import { expect, test } from 'vitest';
import { startReceiver } from '../support/receiver.js';
import { startTestService } from '../support/service.js';

test('every state transition is delivered to the webhook once and in order', async () => {
  const service = await startTestService({ env: { WORKER: '1' } });
  const receiver = await startReceiver();
  const { status } = await service.post('/webhooks/register', { url: receiver.url, events: ['state_change'] });
  expect(status).toBe(201);
  for (let index = 0; index < 10; index += 1) {
    service.clock.advance(1);
    await service.read(index % 2 === 0 ? { heart_rate: 60, tone: 'calm' } : { heart_rate: 130, tone: 'hostile' });
  }
  const events = (await receiver.until(9)).map(({ event }) => event);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(9);
  expect(events.slice(1).map(({ previous_state }) => previous_state)).toEqual(
    events.slice(0, -1).map(({ new_state }) => new_state),
  );
});
