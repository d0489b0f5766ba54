import { expect, test } from 'vitest';
import { Clock, client, startTestService } from '../../testkit/service.js';
import { openKnex, temporaryDatabase } from '../../testkit/temporary-database.js';

const turns = [
  { user_message: 'my exam is tomorrow and I cannot sleep', ai_response: 'What worries you most?' },
  { user_message: 'my boss gave me a bad performance review', ai_response: 'That sounds hard.' },
  { user_message: 'what a nice day', ai_response: 'It is.' },
];

/** Readings of two subjects in three sessions, some calm and some stressed. */
const readings = Array.from({ length: 60 }, (_, index) => ({
  session_id: `s${index % 3}`,
  subject_id: index % 3 === 2 ? 'bert' : 'anna',
  heart_rate: 60 + ((index * 7) % 70),
  ...turns[Math.floor(index / 4) % turns.length],
}));

async function twoServices() {
  const database = await temporaryDatabase();
  const clock = new Clock();
  const one = await startTestService({ database, clock });
  const other = await startTestService({ database, clock });
  return { clock, one, two: client(other.url, one.key, clock) };
}

test('a session that alternates between two services gets the same responses as at a single service', async () => {
  const { clock, one, two } = await twoServices();
  const alone = await startTestService({ clock });
  for (const [index, reading] of readings.entries()) {
    // Alternates between the services, sometimes with several readings in a row. Each service therefore caches rows
    // that the other service then writes.
    const told = await (index % 5 < 2 ? one : two).read(reading);
    expect(told).toEqual(await alone.read(reading));
    clock.advance(20);
  }
  for (const subject of ['anna', 'bert']) {
    const profiles = [alone, one, two].map((it) => it.request(`/v1/triggers?subject_id=${subject}`));
    const [wanted, ...told] = (await Promise.all(profiles)).map(({ body }) => body);
    expect(Object.keys(wanted)).not.toEqual([]);
    for (const it of told) expect(it).toEqual(wanted);
  }
});

test('data erased through one service is not used by another service, even if its ids are used again', async () => {
  const { clock, one, two } = await twoServices();
  for (const reading of readings.slice(0, 12)) {
    await one.read(reading);
    clock.advance(20);
  }
  await two.request('/v1/subjects/anna', { method: 'DELETE' });
  await two.read({ session_id: 's0', subject_id: 'anna', heart_rate: 70 });
  clock.advance(1);
  const fresh = await one.read({ session_id: 's0', subject_id: 'anna', heart_rate: 70 });
  expect(fresh).toMatchObject({ active_triggers: [], resolved_triggers: [] });
  expect((await one.request('/v1/history?session_id=s0')).body.datapoints).toHaveLength(2);
  expect((await one.request('/v1/triggers?subject_id=anna')).body).toMatchObject({ triggers: {}, active: [] });
});

test('a session bound to a subject by one service is also bound at a service with an older cached row', async () => {
  const { clock, one, two } = await twoServices();
  const stressed = { heart_rate: 150, tone: 'tense', sentiment: -0.9, ...turns[0] } as const;
  await two.read({ session_id: 'earlier', subject_id: 'anna', ...stressed });
  await one.read({ session_id: 'later', heart_rate: 70 });
  clock.advance(5);
  const bound = await two.read({ session_id: 'later', subject_id: 'anna', heart_rate: 70 });
  expect(bound.active_triggers).toContain('exams');
  clock.advance(5);
  const next = await one.read({ session_id: 'later', heart_rate: 70 });
  expect(next.active_triggers).toEqual(bound.active_triggers);
});

test.each(['sessions', 'subjects'])('a row of %s does not become shorter while its texts vary', async (table) => {
  const { clock, database, read } = await startTestService();
  const knex = openKnex(database.url);
  const lengths: number[] = [];
  for (const [index, { heart_rate }] of readings.slice(0, 20).entries()) {
    const texts = ([{ tone: 'calm' }, { tone: 'frustrated', activity_level: 'vigorous' }] as const)[index % 2];
    await read({ session_id: 's', subject_id: 'p', heart_rate, sdnn: 50, rmssd: 50, ...texts });
    lengths.push((await knex(table).first()).body.length);
    clock.advance(1);
  }
  expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
});
