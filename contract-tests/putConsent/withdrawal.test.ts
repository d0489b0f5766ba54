/** Laws of a withdrawal. They run on both databases. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { enums, signals as contract } from '../../generated/spec.js';
import type { Schema, Submission } from '../../src/contract/contract.js';
import { createSessionReader } from '../../src/store/sessions.js';
import { createSubjectReader } from '../../src/store/subjects.js';
import { allow, setUp } from '../../testkit/consents.js';
import { startReceiver } from '../../testkit/receiver.js';
import { client, startTestService, type TestService } from '../../testkit/service.js';
import { everythingStored } from '../../testkit/stored.js';
import { startTwoServices } from '../../testkit/two-services.js';

type Category = Schema<'ConsentCategory'>;
type Signals = Partial<Submission>;

const everything: readonly Category[] = enums.ConsentCategory;
const subset = fc.subarray([...everything]);
const isText = (name: string) => name === 'user_message' || name === 'ai_response';
const categoryOf = (name: string): Category =>
  isText(name) ? 'textual' : contract[name as keyof typeof contract].consent;

/** The values of readings before a withdrawal. */
const early: Signals = {
  heart_rate: 62,
  tone: 'calm',
  expression: 'relaxed',
  sentiment: 0.25,
  activity_level: 'light',
};
/** The values of readings after it. No earlier reading, and nothing else, contains them. */
const late: Signals = {
  ...{ heart_rate: 143.8127, sdnn: 17.35713, rmssd: 13.57913, rr_intervals_ms: [613, 617, 619] },
  ...{ respiratory_rate: 31.35791, skin_temperature: 39.97531, eda: 77.71237 },
  ...{ tone: 'hostile', expression: 'frowning', sentiment: -0.913577, urgency: 'critical' },
  ...{ activity_level: 'vigorous', steps_last_minute: 377 },
  ...{ user_message: 'My exam is tomorrow and I panic.', ai_response: 'Which part worries you?' },
};
/** How each late value appears in a table, a log line, an event or a response. */
const traces: Readonly<Record<Category, readonly string[]>> = {
  cardiovascular: ['143.8127', '17.35713', '13.57913', '613,617', '31.35791', '39.97531', '77.71237', 'eart rate'],
  vocal: ['hostile', 'Hostile'],
  visual: ['frowning', 'Frowning'],
  textual: ['-0.913577', 'critical', 'Critical', 'exams', 'suicid', 'egative words'],
  movement: ['vigorous', '"steps_last_minute":377'],
};

test('after a withdrawal, no signal of its categories reaches a table, log, webhook, stream, summary or export', async () => {
  const { one, two, clock, calls } = await startTwoServices({ WORKER: '1' });
  await setUp(one, { consent: 'enforce' });
  const receiver = await startReceiver();
  await calls[0].post('/webhooks/register', { url: receiver.url, events: ['state_change'] });
  const read = async (path: string) => JSON.stringify((await calls[0].request(path)).body);
  const stream = await followStream(one);
  await fc.assert(
    fc.asyncProperty(subset, fc.nat(1), fc.integer({ min: 1, max: 4 }), async (kept, replica, senders) => {
      const subject_id = randomUUID();
      const withdraw = client((replica ? two : one).url, one.key, clock);
      await allow({ ...calls[0], clock }, subject_id, [...everything], { event_time: clock.at(-2) });
      clock.advance(1);
      const send = (signals: Signals, count: number) =>
        Array.from({ length: count }, (_, index) =>
          calls[index % 2]?.ingest({ session_id: `${subject_id}-${index % 3}`, subject_id, ...signals }),
        );
      // Readings before the withdrawal are in flight on both replicas while it is recorded.
      const inFlight = send(early, senders * 3);
      await allow({ ...withdraw, clock }, subject_id, kept);
      const line = { session_id: `${subject_id}-batch`, subject_id, timestamp: clock.at(), ...late };
      const past = { ...line, session_id: `${subject_id}-0`, timestamp: clock.at(-600), backfill: true };
      const later = [
        ...send(late, senders * 3),
        ...[line, past].map((it, index) => calls[index]?.post('/v1/ingest/batch', [it])),
      ];
      const answers = await Promise.all(later);
      await Promise.all(inFlight);
      const subject = await Promise.all([
        read(`/v1/subjects/${subject_id}`),
        read(`/v1/subjects/${subject_id}/summary`),
        read(`/v1/triggers?subject_id=${subject_id}`),
        read(`/v1/export?subject_id=${subject_id}`),
        ...[0, 1, 2].map((index) => read(`/v1/history?session_id=${subject_id}-${index}`)),
      ]);
      const isRefused = (kept as readonly string[]).every((it) => it === 'movement');
      for (const it of answers.slice(0, senders * 3)) expect(it?.status).toBe(isRefused ? 403 : 200);
      const sessions = await Promise.all(
        [0, 1, 2].map(async (index) => {
          const found = await createSessionReader(one.store.read(one.accountId)).find(`${subject_id}-${index}`);
          const { latest: _, past: before, ...live } = found?.session ?? {};
          return JSON.stringify([live, before && { ...before, latest: {} }]);
        }),
      );
      const seen = [...subject, ...sessions, JSON.stringify(answers.map((it) => it?.body))].join('\n');
      for (const category of everything) {
        if ((kept as readonly string[]).includes(category)) continue;
        // A stored reading of the time before the withdrawal may name its heart rate.
        const left = traces[category].filter((it) => it !== 'eart rate' && seen.includes(it));
        expect(left, `${category} without consent`).toEqual([]);
      }
    }),
    {
      numRuns: 6,
      examples: [
        [[], 0, 4],
        [['vocal'], 1, 4],
      ],
    },
  );
  // Nothing of a run in which the person allowed nothing, also not in the bytes of the files.
  const subject_id = randomUUID();
  await allow({ ...calls[0], clock }, subject_id, []);
  const unique = { eda: 55.51737, sentiment: -0.731913, heart_rate: 171.9137 };
  for (const each of calls) expect((await each.ingest({ subject_id, ...unique })).status).toBe(403);
  const all = (await everythingStored(one.database)) + [...one.logs, ...two.logs].join('') + stream.text();
  const delivered = receiver.received.map(({ bytes }) => bytes.toString()).join('');
  for (const value of Object.values(unique)) expect(all + delivered).not.toContain(String(value));
  await stream.close();
}, 300_000);

/** Collects the events of the account. */
async function followStream({ url, key }: TestService): Promise<{ text(): string; close(): Promise<void> }> {
  const stop = new AbortController();
  const response = await fetch(`${url}/v1/stream`, { headers: { 'X-Service-Key': key }, signal: stop.signal });
  const parts: string[] = [];
  const done = (async () => {
    for await (const part of response.body ?? []) parts.push(Buffer.from(part as Uint8Array).toString());
  })().catch(() => undefined);
  return {
    text: () => parts.join(''),
    async close() {
      stop.abort();
      await done;
    },
  };
}

const anySignals: fc.Arbitrary<Signals> = fc.record(
  {
    heart_rate: fc.constantFrom(55, 80, 150),
    rmssd: fc.constantFrom(12, 60),
    rr_intervals_ms: fc.constantFrom([600, 610, 605], [900, 950, 870]),
    eda: fc.constant(4),
    tone: fc.constantFrom('calm', 'hostile', 'tense'),
    expression: fc.constantFrom('relaxed', 'frowning'),
    sentiment: fc.constantFrom(-0.9, 0.4),
    urgency: fc.constantFrom('low', 'critical'),
    activity_level: fc.constantFrom('resting', 'vigorous'),
    steps_last_minute: fc.constantFrom(0, 180),
    source_device: fc.constantFrom('watch', 'strap'),
    user_message: fc.constantFrom('My exam is tomorrow and I panic.', 'My boss yelled at me.', 'Thank you!'),
    ai_response: fc.constant('Tell me more.'),
  },
  { requiredKeys: [] },
);
const anyStep = fc.oneof(
  { weight: 1, arbitrary: fc.record({ decide: subset }) },
  {
    weight: 4,
    arbitrary: fc.record({ signals: anySignals, session: fc.constantFrom('a', 'b'), isPast: fc.boolean() }),
  },
);

test('readings with signals that the person does not allow have the effect of readings without them', async () => {
  const service = await startTestService();
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 4, maxLength: 12 }), async (steps) => {
      const full = await setUp(await startTestService(), { consent: 'enforce' });
      const stripped = await setUp(await startTestService(), { consent: 'enforce' });
      let allowed: readonly Category[] = everything;
      for (const it of [full, stripped]) await allow(it, 'anna', [...everything]);
      for (const step of steps) {
        service.clock.advance(20);
        if ('decide' in step) {
          allowed = step.decide;
          for (const it of [full, stripped]) await allow(it, 'anna', step.decide);
          continue;
        }
        const { signals, session: session_id, isPast } = step;
        const left = Object.entries(signals).filter(([n]) => n === 'source_device' || allowed.includes(categoryOf(n)));
        const time = { timestamp: service.clock.at(isPast ? -7_200 : 0), ...(isPast && { backfill: true }) };
        const place = { session_id, subject_id: 'anna', ...time };
        const [one, other] = [
          await full.ingest({ ...place, ...signals }),
          await stripped.ingest({ ...place, ...Object.fromEntries(left) }),
        ];
        if (one.status !== 200) {
          expect(['consent_required', 'missing_signals']).toContain(one.body.code);
          expect(['consent_required', 'missing_signals']).toContain(other.body.code);
          continue;
        }
        const { signals_dropped = [], ...state } = one.body;
        expect(state).toEqual(other.body);
        expect(signals_dropped.length).toBe(Object.keys(signals).length - left.length);
      }
      expect(await contentOf(full)).toEqual(await contentOf(stripped));
    }),
    { numRuns: 12 },
  );
}, 300_000);

/** Returns everything that an account stores about the person, without ids and positions. */
async function contentOf({ store, accountId, request }: TestService): Promise<unknown> {
  const reader = store.read(accountId);
  const sessions = await Promise.all(
    ['a', 'b'].map(async (id) => (await createSessionReader(reader).find(id))?.session),
  );
  const { body } = await request('/v1/export?subject_id=anna');
  const rows = String(body).replace(/,"cursor":"\d+"/g, '');
  const paths = ['/v1/triggers?subject_id=anna', '/v1/subjects/anna/summary'];
  const answers = await Promise.all(paths.map(async (path) => (await request(path)).body));
  return {
    sessions,
    subject: await createSubjectReader(reader).find('anna'),
    rows: typeof body === 'string' ? rows : '',
    answers,
  };
}
