import fc from 'fast-check';
import { laws } from '../../testkit/arbitraries.js';
import { createDevice, sendBy } from '../../testkit/devices.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

const dayMs = 86_400_000;
const nextMidnight = (nowMs: number) => Math.ceil((nowMs + 600_000) / dayMs) * dayMs;
const voices = [{ tone: 'calm' }, { tone: 'anxious' }, {}] as const;

const readings = fc.array(
  fc.record({
    seconds: fc.integer({ min: 1, max: 60 }),
    heart_rate: fc.integer({ min: 50, max: 160 }),
    voice: fc.constantFrom(...voices),
  }),
  { minLength: 4, maxLength: 12 },
);

test('a device is scored over midnight as one session is', async () => {
  const service = await startTestService({ env: { LIMIT_NEW_SESSIONS_PER_MINUTE: '0' } });
  const { clock, read, post } = service;
  let person = 0;
  await fc.assert(
    fc.asyncProperty(readings, fc.integer({ min: 5, max: 120 }), async (all, before) => {
      person += 1;
      const [ofDevice, ofSession] = [`d${person}`, `s${person}`];
      const { device_id } = await createDevice({ post }, { subject_id: ofDevice });
      clock.nowMs = nextMidnight(clock.nowMs) - before * 1000;
      for (const { seconds, heart_rate, voice } of all) {
        const signals = { heart_rate, ...voice };
        const { body } = await sendBy(service, device_id, signals);
        const one = await read({ session_id: ofSession, subject_id: ofSession, source_device: device_id, ...signals });
        expect(body.session_id).toBe(`${device_id}-${clock.at().slice(0, 10)}`);
        const { session_id: _, ...expected } = one;
        expect(body).toMatchObject(expected);
        clock.advance(seconds);
      }
    }),
    { ...laws, numRuns: 6 },
  );
});

test('a change at midnight is an event of the new session, and none after 300 s', async () => {
  const service = await startTestService({});
  const { clock, get, post } = service;
  await post('/webhooks/register', { url: 'https://8.8.8.8/', events: ['state_change'] });
  const { device_id } = await createDevice(service);
  const send = async (tone: string) => (await sendBy(service, device_id, { tone, heart_rate: undefined })).body;
  const countEvents = () =>
    service.store.run(async (knex) => Number((await knex('outbox').count({ count: '*' }))[0]?.['count']));
  clock.nowMs = nextMidnight(clock.nowMs) - 10_000;
  const evening = await send('calm');
  clock.advance(20);
  const morning = await send('hostile');
  expect(morning.session_id).not.toBe(evening.session_id);
  expect([morning.state === evening.state, await countEvents()]).toEqual([false, 1]);
  expect(morning.adaptation_effectiveness.previous_score).toBe(evening.stress_score);
  expect((await get(`/v1/sessions?subject_id=anna`)).sessions).toHaveLength(2);
  clock.nowMs = nextMidnight(clock.nowMs) - 10_000;
  await send('calm');
  const before = await countEvents();
  clock.advance(10 + 291);
  expect((await send('hostile')).adaptation_effectiveness).toBeUndefined();
  expect(await countEvents()).toBe(before);
});
