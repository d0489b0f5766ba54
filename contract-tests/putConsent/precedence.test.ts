/** A withdrawal wins over a grant whose order is in doubt. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allow, decide, setUp } from '../../testkit/consents.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { startTwoServices } from '../../testkit/two-services.js';

const subject_id = 'anna';
const enforcing = async () => setUp(await startTestService(), { consent: 'enforce' });

const statusOf = async (answer: Promise<{ readonly status: number }>) => (await answer).status;
const consentOf = async ({ request }: Pick<TestService, 'request'>) =>
  (await request(`/v1/subjects/${subject_id}/consent`)).body;

test('a withdrawal counts immediately over a grant stamped 55 s ahead, which never counts again', async () => {
  const service = await enforcing();
  const grant = { categories: ['cardiovascular'], event_time: service.clock.at(55) } as const;
  await allow(service, subject_id, ['cardiovascular'], { event_time: grant.event_time });
  await service.read({ subject_id, heart_rate: 80 });
  service.clock.advance(1);
  const withdrawn = await allow(service, subject_id, []);
  expect(withdrawn).toMatchObject({ event_state: 'withdrawn', event_time: service.clock.at() });
  expect(await statusOf(service.ingest({ subject_id, heart_rate: 80 }))).toBe(403);
  for (const seconds of [0, 53, 1, 1, 60]) {
    service.clock.advance(seconds);
    expect(await statusOf(decide(service, subject_id, { ...grant, categories: ['cardiovascular'] }))).toBe(409);
    expect(await consentOf(service)).toEqual(withdrawn);
  }
  await allow(service, subject_id, ['cardiovascular']);
  await service.read({ subject_id, heart_rate: 80 });
});

test('a withdrawal that was decided before the service received the grant of a fast clock wins, also after that time', async () => {
  const service = await enforcing();
  await allow(service, subject_id, ['vocal'], { event_time: service.clock.at(30) });
  const event_time = service.clock.at(29);
  service.clock.advance(31);
  expect(await allow(service, subject_id, [], { event_time })).toMatchObject({ version: 2 });
});

test('a copy of a grant with the event_time of a withdrawal does not reinstate it, and a withdrawal wins over such a grant', async () => {
  const service = await enforcing();
  const event_time = service.clock.at();
  await allow(service, subject_id, ['cardiovascular', 'vocal'], { event_time });
  const withdrawn = await allow(service, subject_id, ['vocal'], { event_time });
  const grant = { event_time, categories: ['cardiovascular', 'vocal'] as ['cardiovascular', 'vocal'] };
  expect(await decide(service, subject_id, grant)).toMatchObject({ status: 409, body: { code: 'consent_outdated' } });
  expect(await consentOf(service)).toEqual(withdrawn);
  expect(await statusOf(service.ingest({ subject_id, heart_rate: 80 }))).toBe(403);
});

test('of a decision at the recorded event_time, only the withdrawn categories and the earlier end count', async () => {
  const service = await enforcing();
  const event_time = service.clock.at();
  await allow(service, subject_id, ['vocal', 'textual'], { event_time, expires_at: service.clock.at(60) });
  const exchanged = { event_time, categories: ['textual', 'visual'] as ['textual', 'visual'] };
  const recorded = await allow(service, subject_id, exchanged.categories, exchanged);
  expect(recorded).toMatchObject({ version: 2, categories: ['textual'], expires_at: service.clock.at(60) });
  // A resend after a lost response.
  expect((await decide(service, subject_id, exchanged)).body).toEqual(recorded);
  expect(await statusOf(decide(service, subject_id, { event_time, categories: ['textual'] }))).toBe(409);
});

test('a clock that is as far ahead at a grant as it was at the withdrawal reinstates', async () => {
  const service = await enforcing();
  const ahead = 40;
  await allow(service, subject_id, ['cardiovascular'], { event_time: service.clock.at(ahead) });
  service.clock.advance(1);
  await allow(service, subject_id, [], { event_time: service.clock.at(ahead) });
  service.clock.advance(1);
  await allow(service, subject_id, ['cardiovascular'], { event_time: service.clock.at(ahead) });
  await service.read({ subject_id, heart_rate: 80 });
});

test.each([
  [1, 200],
  [1.001, 409],
])('over a withdrawal without a fast clock, a grant that is %f s ahead is a %i', async (ahead, status) => {
  const service = await enforcing();
  await allow(service, subject_id, []);
  expect(await statusOf(decide(service, subject_id, { event_time: service.clock.at(ahead) }))).toBe(status);
});

/** A grant by a clock that is `aheadSeconds` ahead. If `isLate`, it arrives only together with the withdrawal. */
const anyGrant = fc.record({
  waitSeconds: fc.constantFrom(0, 0.001, 2, 40),
  aheadSeconds: fc.constantFrom(-20, 0, 5, 30, 55),
  isLate: fc.boolean(),
});
/** A copy of one of the grants, sent to one of the replicas. */
const anyCopy = fc.record({ of: fc.nat(), replica: fc.nat(1), waitSeconds: fc.constantFrom(0, 1, 20, 56) });

test('whatever grants a person gave before a withdrawal, no copy of them on any replica lets a reading pass after it', async () => {
  const { one, clock, calls } = await startTwoServices();
  await setUp(one, { consent: 'enforce' });
  const property = fc.asyncProperty(
    fc.array(anyGrant, { minLength: 1, maxLength: 4 }),
    fc.array(anyCopy, { maxLength: 3 }),
    fc.array(anyCopy, { maxLength: 4 }),
    async (grants, during, after) => {
      const id = randomUUID();
      const on = (replica: number) => ({ ...(calls[replica] ?? calls[0]), clock });
      const times: string[] = [];
      const send = ({ of, replica }: { of: number; replica: number }) =>
        decide(on(replica), id, { event_time: times[of % times.length] as string });
      for (const [of, { waitSeconds, aheadSeconds, isLate }] of grants.entries()) {
        clock.advance(waitSeconds);
        times.push(clock.at(aheadSeconds));
        if (!isLate) await send({ of, replica: of % 2 });
      }
      const all = grants.map((_, of) => ({ of, replica: 1, waitSeconds: 0 }));
      const [withdrawn] = await Promise.all([allow(on(0), id, []), ...[...during, ...all].map(send)]);
      expect(withdrawn).toMatchObject({ event_state: 'withdrawn' });
      for (const copy of [...all, ...after, ...all]) {
        clock.advance(copy.waitSeconds);
        await send(copy);
        expect((await on(copy.replica).ingest({ session_id: id, subject_id: id, heart_rate: 80 })).status).toBe(403);
      }
      clock.advance(61);
      await allow(on(1), id, ['cardiovascular']);
      await on(0).read({ session_id: id, subject_id: id, heart_rate: 80 });
    },
  );
  await fc.assert(property, { numRuns: 15 });
}, 300_000);
