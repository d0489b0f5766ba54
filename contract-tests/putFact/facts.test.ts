import { randomUUID } from 'node:crypto';
import type { Schema } from '../../src/contract/contract.js';
import { batchResults, exportRows } from '../../testkit/batch.js';
import { createScoreAgain, scorePendingPeople } from '../../src/readings/facts.js';
import { allow, setUp } from '../../testkit/consents.js';
import { connectPhone } from '../../testkit/phone.js';
import type { Store } from '../../src/store/store.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

const minuteMs = 60_000;

/** Returns functions that state facts of a new person and send readings of an hour ago. */
function actAs(service: Pick<TestService, 'request' | 'get' | 'clock'>, subject_id: string = randomUUID()) {
  const startMs = Math.floor(service.clock.nowMs / minuteMs) * minuteMs - 60 * minuteMs;
  const at = (minutes: number) => new Date(startMs + minutes * minuteMs).toISOString();
  return {
    ...{ subject_id, at },
    put: (fact_id: string, fact: object) =>
      service.request(`/v1/facts/${fact_id}`, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ subject_id, kind: 'exercise', level: 'vigorous', start: at(0), end: at(30), ...fact }),
      }),
    remove: (fact_id: string) => service.request(`/v1/facts/${fact_id}?subject_id=${subject_id}`, { method: 'DELETE' }),
    list: async (query = ''): Promise<Schema<'Fact'>[]> =>
      (await service.get(`/v1/facts?subject_id=${subject_id}${query}`)).facts,
    /** Sends a heart rate per minute, as an import does. */
    async beat(minutes: number, heart_rate: number, others: object = {}): Promise<void> {
      const lines = Array.from({ length: minutes }, (_, index) => ({
        ...{ session_id: `${subject_id}-day`, subject_id, timestamp: at(index), heart_rate, backfill: true, ...others },
      }));
      for (const { status } of await batchResults(service, lines)) expect(status).toBe(200);
    },
    rows: async () => exportRows(service, `subject_id=${subject_id}`),
  };
}

/** Returns how many readings have each movement and state. */
async function countStates(rows: ReturnType<ReturnType<typeof actAs>['rows']>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { reading, computed } of await rows) {
    const key = `${reading.activity_level ?? 'unknown'} ${computed.confidence === 0 ? 'no evidence' : computed.state}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

test('a fact counts whether it arrives before or after the readings, changes or goes', async ({ service }) => {
  const [before, after] = [actAs(service), actAs(service)];
  expect((await before.put('run', {})).status).toBe(200);
  for (const person of [before, after]) await person.beat(40, 130);
  const unexplained = await countStates(after.rows());
  expect((await after.put('run', {})).status).toBe(200);
  const runs = await countStates(before.rows());
  expect(Object.keys(runs).filter((it) => it.startsWith('vigorous'))).toHaveLength(1);
  expect(runs).not.toHaveProperty('vigorous stressed');
  expect(Object.entries(runs).find(([it]) => it.startsWith('vigorous'))?.[1]).toBe(30);
  const movements = async (person: typeof after) => (await person.rows()).map(({ reading }) => reading.activity_level);
  const sorted = async (person: typeof after) => (await movements(person)).sort();
  expect(await sorted(after)).toEqual(await sorted(before));
  expect((await after.put('run', { end: after.at(10), revision: 1 })).body.end).toBe(after.at(10));
  expect((await movements(after)).filter((it) => it === 'vigorous')).toHaveLength(10);
  expect((await after.remove('run')).status).toBe(204);
  expect((await movements(after)).filter((it) => it !== undefined)).toEqual([]);
  expect(Object.keys(unexplained).some((it) => it.startsWith('unknown'))).toBe(true);
});

test('a lower revision changes nothing and gets the stored fact, and the same one again changes nothing', async ({
  service,
}) => {
  const person = actAs(service);
  const { body: stored } = await person.put('run', { revision: 2 });
  expect((await person.put('run', { revision: 1, kind: 'rest', level: undefined })).body).toEqual(stored);
  expect((await person.put('run', { revision: 2 })).body).toEqual(stored);
  expect(await person.list()).toEqual([stored]);
  expect((await person.put('run', { revision: 2, level: 'light' })).body).toMatchObject({ level: 'light' });
});

test('the id of a fact is that of one person', async ({ service }) => {
  const [anna, ben] = [actAs(service), actAs(service)];
  await anna.put('run', {});
  await ben.put('run', { kind: 'rest', level: undefined });
  expect(await anna.list()).toMatchObject([{ kind: 'exercise' }]);
  expect((await ben.remove('run')).status).toBe(204);
  expect((await ben.remove('run')).body.code).toBe('fact_not_found');
  expect(await anna.list()).toHaveLength(1);
});

test('a fact that ends before its start, or is too long or old, is rejected', async ({ service }) => {
  const { put, at } = actAs(service);
  expect((await put('a', { end: at(0) })).body.errors).toMatchObject([{ code: 'fact_end', pointer: '/end' }]);
  const day = (hours: number, kind: string) =>
    put('a', { kind, level: undefined, start: at(-22 * 60), end: at((hours - 22) * 60) });
  expect((await day(24, 'rest')).status).toBe(200);
  expect((await day(24.1, 'rest')).status).toBe(422);
  expect((await day(16.1, 'sleep')).status).toBe(422);
  expect((await put('a', { kind: 'rest' })).body.errors).toMatchObject([{ code: 'fact_level', pointer: '/level' }]);
  const year = { start: '2020-01-01T00:00:00Z', end: '2020-01-01T00:10:00Z' };
  expect((await put('a', year)).body.code).toBe('timestamp_too_old');
  expect((await put('a', { start: at(-24 * 60), end: at(-6) })).status).toBe(200);
  expect((await put('a', { start: at(62), end: undefined })).body.code).toBe('timestamp_in_future');
});

test('a source changes only its own facts, and none after the API has changed it', async ({ service }) => {
  const phone = await connectPhone(service, 'health_connect');
  const person = actAs({ ...phone.operator, clock: service.clock }, phone.subjectId);
  const post = (until: number) =>
    phone.post({ exercise: [{ type: '56', start_time: person.at(0), end_time: person.at(until) }] });
  await person.put('mine', { kind: 'rest', level: undefined });
  await post(20);
  const ends = async () => (await person.list()).map(({ source, kind, end }) => [source ?? '', kind, end]).sort();
  expect(await ends()).toEqual([
    ['', 'rest', person.at(30)],
    ['health_connect', 'exercise', person.at(20)],
  ]);
  const [own] = (await person.list()).filter(({ source }) => source !== undefined);
  const corrected = { kind: 'other_person', level: undefined, end: person.at(25), revision: own?.revision };
  expect((await person.put(own?.fact_id ?? '', corrected)).body).not.toHaveProperty('source');
  await post(40);
  expect(await ends()).toEqual([
    ['', 'other_person', person.at(25)],
    ['', 'rest', person.at(30)],
  ]);
});

test('the facts of a post are scored together', async () => {
  const searches: string[] = [];
  const watch = ({ sql }: { readonly sql: string }) =>
    void (/^select .*pending_from_ms.? is not null/.test(sql) && searches.push(sql));
  const onStore = (store: Store) => void store.run(async (knex) => void knex.on('query', watch));
  const service = await startTestService({ onStore });
  const phone = await connectPhone(service, 'health_connect');
  const person = actAs({ ...phone.operator, clock: service.clock }, phone.subjectId);
  const exercise = Array.from({ length: 20 }, (_, minute) => ({
    ...{ type: '56', start_time: person.at(minute), end_time: person.at(minute + 20) },
  }));
  expect((await phone.post({ exercise })).status).toBe(200);
  expect(await person.list()).toHaveLength(20);
  expect(searches).toHaveLength(1);
});

test('the list has the facts of a range by start, in pages', async ({ service }) => {
  const { put, list, at } = actAs(service);
  for (const [id, from, until] of [
    ['c', 20, 30],
    ['a', 0, 10],
    ['b', 5, 25],
  ] as const)
    await put(id, { start: at(from), end: at(until) });
  expect((await list()).map((it) => it.fact_id)).toEqual(['a', 'b', 'c']);
  expect((await list(`&from=${at(10)}&to=${at(20)}`)).map((it) => it.fact_id)).toEqual(['b']);
});

test('a fact without an end counts for the next live readings, and not after its longest time', async ({
  ownService: service,
}) => {
  const { put, subject_id } = actAs(service);
  const live = (heart_rate: number) => service.read({ session_id: subject_id, subject_id, heart_rate });
  await live(70);
  await put('run', { start: service.clock.at(10), end: undefined });
  service.clock.advance(30);
  await live(150);
  const rows = () => exportRows(service, `subject_id=${subject_id}`);
  expect((await rows()).map(({ reading }) => reading.activity_level)).toEqual([undefined, 'vigorous']);
  service.clock.advance(4 * 3600);
  await live(70);
  expect((await rows()).at(-1)?.reading.activity_level).toBeUndefined();
});

test.for(['not_worn', 'other_person', 'invalid'])(
  '%s means no evidence, live and in the history',
  async (kind, { service }) => {
    const person = actAs(service);
    const live = () => service.read({ session_id: person.subject_id, subject_id: person.subject_id, heart_rate: 140 });
    expect((await live()).evidence).toBeUndefined();
    await person.put('off', { kind, level: undefined, start: person.at(0), end: undefined });
    service.clock.advance(1);
    expect(await live()).toMatchObject({ evidence: 'none', confidence: 0 });
    await person.beat(3, 140);
    expect(await countStates(person.rows())).toEqual({ 'unknown no evidence': 5 });
    expect((await person.rows()).map(({ reading }) => reading.heart_rate)).toEqual([140, 140, 140, 140, 140]);
  },
);

test('what a reading states itself precedes a fact', async ({ service }) => {
  const person = actAs(service);
  await person.beat(5, 130, { activity_level: 'light' });
  const before = await person.rows();
  await person.put('run', {});
  expect(await person.rows()).toEqual(before);
});

test('a fact follows the consent to movement', async ({ service }) => {
  await setUp(service, { consent: 'enforce' });
  const person = actAs(service);
  expect((await person.put('run', {})).body.code).toBe('consent_required');
  await allow(service, person.subject_id, ['cardiovascular', 'movement']);
  expect((await person.put('run', {})).status).toBe(200);
  await allow(service, person.subject_id, ['cardiovascular'], { event_time: service.clock.at(1) });
  await person.beat(2, 130);
  expect((await person.rows()).map(({ reading }) => reading.activity_level)).toEqual([undefined, undefined]);
  expect((await person.put('walk', {})).body.code).toBe('consent_required');
  // The readings are scored again, and the other fact counts no more.
  await allow(service, person.subject_id, ['cardiovascular', 'movement'], { event_time: service.clock.at(2) });
  await person.put('walk', { level: 'light' });
  await allow(service, person.subject_id, ['cardiovascular'], { event_time: service.clock.at(3) });
  await person.remove('run');
  expect((await person.rows()).map(({ reading }) => reading.activity_level)).toEqual([undefined, undefined]);
});

test('an erasure of the person deletes the facts, and an export lists them only with include=facts', async ({
  service,
}) => {
  const person = actAs(service);
  await person.beat(2, 100);
  const { body: fact } = await person.put('run', {});
  const lines = async (include = '') => {
    const answer = await fetch(`${service.url}/v1/export?subject_id=${person.subject_id}${include}`, {
      headers: { 'X-Service-Key': service.key },
    });
    return (await answer.text())
      .trim()
      .split('\n')
      .map((it) => JSON.parse(it));
  };
  expect((await lines()).filter((it) => it.fact)).toEqual([]);
  expect((await lines('&include=facts')).slice(2)).toEqual([{ fact }]);
  expect((await service.request(`/v1/export?format=csv&include=facts`)).status).toBe(422);
  await service.request(`/v1/subjects/${person.subject_id}`, { method: 'DELETE' });
  expect(await person.list()).toEqual([]);
});

test('readings that a stopped process left are scored again by the next cleanup, and together', async ({ service }) => {
  const person = actAs(service);
  await person.beat(5, 130);
  await person.put('run', { end: person.at(3) });
  const key = { account_id: service.accountId, subject_id: person.subject_id };
  // As a process leaves it that ends after the transaction of the fact.
  const [from, until] = [person.at(0), person.at(5)].map((it) => Date.parse(it));
  const pending = { pending_from_ms: from, pending_until_ms: until, until_ms: until, end_ms: until };
  await service.store.run((knex) => knex('facts').where(key).update(pending));
  expect((await person.rows()).filter(({ reading }) => reading.activity_level === 'vigorous')).toHaveLength(3);
  const parts = { store: service.store, now: service.clock.now };
  let runs = 0;
  const scoreAgain = createScoreAgain({
    ...parts,
    share(id, read) {
      runs += 1;
      return read(service.store.read(id));
    },
  });
  // Calls during a run share the next one.
  const calls = Array.from({ length: 10 }, () => scoreAgain(service.accountId, person.subject_id));
  await Promise.all([scorePendingPeople({ ...parts, scoreAgain }), ...calls]);
  expect(runs).toBe(2);
  expect((await person.rows()).map(({ reading }) => reading.activity_level)).toEqual(Array(5).fill('vigorous'));
  expect(await service.store.run((knex) => knex('facts').where(key).pluck('pending_from_ms'))).toEqual([null]);
});

test('a cleanup ends while a person changes facts again and again', async ({ service }) => {
  const person = actAs(service);
  await person.put('run', {});
  const key = { account_id: service.accountId, subject_id: person.subject_id };
  const change = (recordedAtMs: number) =>
    service.store.run((knex) =>
      knex('facts').where(key).update({ pending_from_ms: 1, pending_until_ms: 2, recorded_at_ms: recordedAtMs }),
    );
  const now = () => service.clock.now();
  await change(now());
  const seen: string[] = [];
  const scoreAgain = async (_: string, subjectId: string) => {
    seen.push(subjectId);
    await change(now() + seen.length);
  };
  await scorePendingPeople({ store: service.store, now, scoreAgain });
  expect(seen).toEqual([person.subject_id]);
});

test('the row of a person says whether there are facts, so that readings of others ask for none', async ({
  ownService: service,
}) => {
  const person = actAs(service);
  await service.read({ session_id: 'x', subject_id: person.subject_id, heart_rate: 70 });
  const body = async () => {
    const key = { account_id: service.accountId, subject_id: person.subject_id };
    return (await service.store.run((knex) => knex('subjects').where(key).first('body'))).body as string;
  };
  expect(await body()).not.toContain('facts');
  await person.put('run', { end: person.at(10) });
  expect(await body()).toContain('"facts"');
  await person.remove('run');
  expect(await body()).not.toContain('facts');
});
