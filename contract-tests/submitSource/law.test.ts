import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { Minutes } from '../../packages/recordings/minutes.js';
import { planImport, sendHistory } from '../../packages/tools/import-history.js';
import { createBatchSender, createFactSender } from '../../packages/tools/send-batch.js';
import { createStateClient } from '../../packages/client/src/index.js';
import { exportRows } from '../../testkit/batch.js';
import { createHubSecret, heartRateEvent, type HubName, metric, signAsHub, toLocal } from '../../testkit/phone.js';
import type { TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

/*
 * The law of posts of history: every partition of the same samples and workouts into bodies, every order and repetition, and the
 * import of a file before, between or after them give equal minutes, fields, facts and movement, and equal scores against one
 * baseline. Steps and breathing are sent with the heart rates of their minute: alone, they are no reading.
 */

const minuteMs = 60_000;
const minutes = 8;

interface Beat {
  readonly kind: 'rate' | 'variability';
  readonly second: number;
  readonly value: number;
}
interface Run {
  readonly kind: 'run';
  readonly minute: number;
  readonly length: number;
}
type Item = Beat | Run;

const iso = (ms: number) => new Date(ms).toISOString();
const isRun = (it: Item): it is Run => it.kind === 'run';

/** Returns the body of a source with some items. `startMs` is the start of the time of all items. */
type CreateBody = (items: readonly Item[], startMs: number, person: string) => unknown;

function split(items: readonly Item[], startMs: number) {
  const timesOf = (kind: Item['kind']) =>
    items.flatMap((it): [number, number][] =>
      it.kind === kind && !isRun(it) ? [[startMs + it.second * 1000, it.value]] : [],
    );
  const runs = items.filter(isRun).map(({ minute, length }) => {
    const fromMs = startMs + minute * minuteMs;
    return { id: `run-${minute}`, fromMs, untilMs: fromMs + length * minuteMs };
  });
  return { rates: timesOf('rate'), variability: timesOf('variability'), runs };
}

const hub =
  (name: HubName, createRun: (person: string, run: ReturnType<typeof split>['runs'][number]) => object): CreateBody =>
  (items, startMs, person) => {
    const { rates, runs } = split(items, startMs);
    return [
      ...(rates.length > 0 ? [heartRateEvent(name, person, rates)] : []),
      ...runs.map((run) => createRun(person, run)),
    ];
  };

const sources: Readonly<Record<string, CreateBody>> = {
  health_auto_export: (items, startMs) => {
    const { rates, variability, runs } = split(items, startMs);
    const metrics = [metric('heart_rate', 'count/min', rates), metric('heart_rate_variability', 'ms', variability)];
    const workouts = runs.map((it) => ({
      id: it.id,
      name: 'Run',
      start: toLocal(it.fromMs),
      end: toLocal(it.untilMs),
    }));
    return { data: { metrics, workouts } };
  },
  health_connect: (items, startMs) => {
    const { rates, variability, runs } = split(items, startMs);
    return {
      timestamp: iso(startMs),
      heart_rate: rates.map(([ms, bpm]) => ({ bpm, time: iso(ms) })),
      heart_rate_variability: variability.map(([ms, rmssd_millis]) => ({ rmssd_millis, time: iso(ms) })),
      exercise: runs.map((it) => ({ type: '56', start_time: iso(it.fromMs), end_time: iso(it.untilMs) })),
    };
  },
  open_wearables: hub('open_wearables', (user_id, { id, fromMs, untilMs }) => ({
    type: 'workout.created',
    data: { id, user_id, type: 'running', start_time: iso(fromMs), end_time: iso(untilMs) },
  })),
  terra: hub('terra', (reference_id, { id, fromMs, untilMs }) => ({
    ...{ type: 'activity', user: { user_id: 'u', provider: 'GARMIN', reference_id } },
    data: [{ metadata: { summary_id: id, name: 'Run', start_time: iso(fromMs), end_time: iso(untilMs) } }],
  })),
  junction: hub('junction', (client_user_id, { id, fromMs, untilMs }) => ({
    ...{ event_type: 'daily.data.workouts.created', client_user_id },
    data: { id, sport: { slug: 'running' }, time_start: iso(fromMs), time_end: iso(untilMs) },
  })),
};
const names = Object.keys(sources);
const hubs = names.slice(2) as HubName[];

/** Returns a function that posts the body of a source. The hubs are connections of the account. */
async function connect(service: TestService) {
  const secrets = new Map<string, { readonly id: string; readonly secret: string }>();
  for (const source of hubs) {
    const secret = createHubSecret(source);
    const { body } = await service.post('/v1/source-keys', { source, signing_secret: secret });
    secrets.set(source, { id: body.id, secret });
  }
  return async (subject_id: string) => {
    const keys = new Map<string, string>();
    for (const source of names.slice(0, 2))
      keys.set(source, (await service.post('/v1/source-keys', { subject_id, source })).body.key);
    return async (source: string, body: unknown) => {
      const text = JSON.stringify(body);
      const known = secrets.get(source);
      const signed = known && signAsHub(source as HubName, known.secret, text, Math.floor(service.clock.nowMs / 1000));
      const answer = await fetch(`${service.url}/v1/sources/${source}${known ? `/${known.id}` : ''}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...(signed ?? { 'X-Service-Key': keys.get(source) ?? '' }) },
        body: text,
      });
      expect([source, answer.status, await answer.text()]).toEqual([source, 200, expect.any(String)]);
    };
  };
}

/** Imports a file with the items, as the command and the dashboard do. The device is that of the first source. */
async function importFile(service: TestService, subjectId: string, items: readonly Item[], startMs: number) {
  const { rates, variability, runs } = split(items, startMs);
  const minutes = new Minutes({ hours: 24, nowMs: service.clock.nowMs, marksFacts: false });
  minutes.add([
    ...rates.map(([atMs, value]) => ({ field: 'heart_rate', atMs, value, source: 'Apple Watch' }) as const),
    ...variability.map(([atMs, value]) => ({ field: 'sdnn', atMs, value, source: 'Apple Watch' }) as const),
    ...runs.map(({ id, fromMs, untilMs }) => ({ kind: 'exercise', id, atMs: fromMs, untilMs }) as const),
  ]);
  const client = createStateClient({ baseUrl: service.url, key: service.key });
  const sending = {
    client,
    explain: (error: unknown) => error as Error,
    signal: new AbortController().signal,
    onWait: () => undefined,
  };
  const senders = { sendBatch: createBatchSender(sending), sendFact: createFactSender(sending) };
  const plan = await planImport(minutes.readings(), minutes.facts, subjectId, client);
  const onFact = (refusal: string | undefined) => expect(refusal).toBeUndefined();
  await sendHistory(plan, senders, (_, answer) => expect(answer).not.toHaveProperty('refusal'), onFact);
}

/** Gives a person the baseline of another one, and scores all readings again. */
async function scoreAgainst(service: TestService, person: string, model: string, startMs: number): Promise<void> {
  await service.store.run(async (knex) => {
    const row = await knex('subjects').where({ account_id: service.accountId, subject_id: model }).first('body');
    const changes = { body: row.body, version: randomUUID().slice(-12) };
    await knex('subjects').where({ account_id: service.accountId, subject_id: person }).update(changes);
  });
  const [start, end] = [iso(startMs - 60 * minuteMs), iso(startMs + 60 * minuteMs)];
  const put = { method: 'PUT', headers: { 'Content-Type': 'application/json' } };
  const body = JSON.stringify({ subject_id: person, kind: 'invalid', start, end });
  expect((await service.request('/v1/facts/again', { ...put, body })).status).toBe(200);
  const path = `/v1/facts/again?subject_id=${person}`;
  expect((await service.request(path, { method: 'DELETE' })).status).toBe(204);
}

/** Returns what is stored of a person, without what tells the people apart. */
async function readStored(service: TestService, person: string) {
  const rows = (await exportRows(service, `subject_id=${person}`)).map(({ reading, computed }) => {
    const { session_id: _, subject_id: __, sample_id: ___, ...values } = reading;
    return { ...values, score: computed.stress_score, confidence: computed.confidence, reason: computed.action_reason };
  });
  const { facts } = await service.get(`/v1/facts?subject_id=${person}`);
  const bare = facts.map(({ kind, level, start, end, revision, source }: Record<string, unknown>) => ({
    kind,
    level,
    start,
    end,
    revision,
    source,
  }));
  const sorted = (all: object[]) => all.map((it) => JSON.stringify(Object.entries(it).sort())).sort();
  return { rows: sorted(rows), facts: sorted(bare) };
}

const beat = fc.record({
  kind: fc.constantFrom('rate', 'rate', 'rate', 'variability'),
  second: fc.integer({ min: 0, max: minutes * 60 - 1 }),
  value: fc.integer({ min: 45, max: 160 }),
}) as fc.Arbitrary<Beat>;
const run: fc.Arbitrary<Run> = fc.record({
  kind: fc.constant('run'),
  minute: fc.integer({ min: 0, max: minutes - 2 }),
  length: fc.integer({ min: 1, max: 4 }),
});
const day = fc.array(
  fc.record({
    source: fc.constantFrom(...names),
    item: fc.oneof({ weight: 8, arbitrary: beat }, { weight: 1, arbitrary: run }),
  }),
  { minLength: 20, maxLength: 60 },
);

test('every partition, order and repetition of posts of history gives equal minutes, facts and scores', async ({
  service,
}) => {
  const connectPerson = await connect(service);
  const startMs = Math.floor(service.clock.nowMs / minuteMs) * minuteMs - 120 * minuteMs;
  const random = fc.array(fc.nat(), { minLength: 300, maxLength: 300 });
  await fc.assert(
    fc.asyncProperty(
      day,
      random,
      fc.array(fc.oneof(beat, run), { minLength: 8, maxLength: 16 }),
      async (items, numbers, inFile) => {
        let at = 0;
        const pick = (max: number) => (numbers[(at += 1) % numbers.length] ?? 0) % max;
        const [whole, parts] = [randomUUID(), randomUUID()];
        const [postWhole, postParts] = [await connectPerson(whole), await connectPerson(parts)];
        const bySource = names.map(
          (source) => [source, items.filter((it) => it.source === source).map((it) => it.item)] as const,
        );
        for (const [source, all] of bySource)
          if (all.length > 0) await postWhole(source, (sources[source] as CreateBody)(all, startMs, whole));
        await importFile(service, whole, inFile, startMs);
        const bodies = bySource.flatMap(([source, all]) => {
          const piles = Array.from({ length: 4 }, (): Item[] => []);
          for (const item of all) piles[pick(4)]?.push(item);
          // Some items are in two bodies.
          for (const item of all) if (pick(4) === 0) piles[pick(4)]?.push(item);
          return piles.filter((it) => it.length > 0).map((pile) => [source, pile.sort(() => pick(2) - 1)] as const);
        });
        const ordered = bodies.map((it) => [pick(1000), it] as const).sort(([a], [b]) => a - b);
        const importAt = pick(ordered.length + 1);
        for (const [index, [, [source, pile]]] of [...ordered, ...ordered.slice(0, 3)].entries()) {
          if (index === importAt) await importFile(service, parts, inFile, startMs);
          await postParts(source, (sources[source] as CreateBody)(pile, startMs, parts));
        }
        if (importAt > ordered.length + 2) await importFile(service, parts, inFile, startMs);
        for (const person of [whole, parts]) await scoreAgainst(service, person, whole, startMs);
        expect(await readStored(service, parts)).toEqual(await readStored(service, whole));
      },
    ),
    { numRuns: 6, endOnFailure: true },
  );
});

test('samples of a minute are united by their times: 5 and 3 others are 8, and the same 5 again are 5', async ({
  service,
}) => {
  const post = await (await connect(service))('anna');
  const startMs = Math.floor(service.clock.nowMs / minuteMs) * minuteMs - 120 * minuteMs;
  const send = (...rates: number[]) => {
    const items = rates.map((value): Beat => ({ kind: 'rate', second: value - 60, value }));
    return post('health_connect', (sources['health_connect'] as CreateBody)(items, startMs, 'anna'));
  };
  const minute = async () => {
    const [only, ...others] = await exportRows(service, 'subject_id=anna');
    expect(others).toEqual([]);
    return [only?.reading.sample_revision, only?.reading.heart_rate];
  };
  await send(60, 62, 64, 66, 68);
  expect(await minute()).toEqual([5, 64]);
  await send(60, 62, 64, 66, 68);
  expect(await minute()).toEqual([5, 64]);
  await send(80, 82, 84);
  expect(await minute()).toEqual([8, 70.8]);
  await send(62, 80);
  expect(await minute()).toEqual([8, 70.8]);
});

test('a later body without a field does not remove it', async ({ service }) => {
  const post = await (await connect(service))('ben');
  const startMs = Math.floor(service.clock.nowMs / minuteMs) * minuteMs - 120 * minuteMs;
  const time = (second: number) => iso(startMs + second * 1000);
  const steps = [{ count: 60, start_time: time(0), end_time: time(60) }];
  await post('health_connect', {
    heart_rate: [{ bpm: 70, time: time(1) }],
    steps,
    respiratory_rate: [{ rate: 14, time: time(2) }],
  });
  await post('health_connect', {
    heart_rate: [
      { bpm: 72, time: time(3) },
      { bpm: 74, time: time(4) },
    ],
  });
  const [row] = await exportRows(service, 'subject_id=ben');
  expect(row?.reading).toMatchObject({
    heart_rate: 72,
    steps_last_minute: 60,
    respiratory_rate: 14,
    sample_revision: 3,
  });
});
