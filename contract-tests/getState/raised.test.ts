import { bands, raised as causes } from '../../generated/spec.js';
import { openStream } from '../../testkit/event-source.js';
import type { TestService } from '../../testkit/service.js';
import { openKnex } from '../../testkit/temporary-database.js';
import { expect, test } from '../../testkit/test.js';
import { bearer, issueToken } from '../../testkit/tokens.js';

const who = { session_id: 'watch', subject_id: 'anna' };

/** Sends a heart rate per minute. Returns the last state. */
async function wear({ read, clock }: TestService, minutes: number, heart_rate: number, more: object = {}) {
  let last;
  for (let minute = 0; minute < minutes; minute += 1) {
    clock.advance(60);
    last = await read({ ...who, heart_rate, timestamp: clock.at(), ...more });
  }
  return last;
}

test('a raised heart rate alone is in state, stream and history, with its alternatives, and an outdated state has none', async ({
  ownService: service,
}) => {
  await wear(service, 20, 64);
  const since = new Date(service.clock.nowMs + 60_000).toISOString();
  const stream = await openStream(service, { subject_id: 'anna' });
  const last = await wear(service, 10, 92);
  expect(last).toMatchObject({ state: 'stressed', raised: { since, likely: 'unknown' } });
  expect(last?.recommendation).toBe(`${bands[3].recommendation} ${causes.unknown.recommendation}`);
  expect(last?.action_reason).toMatch(/; the cause is unknown: exertion, heat or joy are possible, too\.$/);
  const { body: state } = await service.request('/v1/state?subject_id=anna');
  expect(state.raised).toEqual({ since, likely: 'unknown' });
  const points = (await service.request('/v1/history?subject_id=anna&minutes=60')).body.datapoints;
  expect(points.at(-1)).toMatchObject({ heart_rate: 92, raised: { since, likely: 'unknown' } });
  expect(points[5]).not.toHaveProperty('raised');
  const events = await stream.until(10);
  expect(events.findLast(({ type }) => type === 'reading')?.data.raised).toEqual({ since, likely: 'unknown' });
  service.clock.advance(301);
  expect((await service.request('/v1/state?subject_id=anna')).body).not.toHaveProperty('raised');
});

test('a late reading, its resend, and a row of 1.0.0 with the cause of an earlier reading have none', async ({
  ownService: service,
}) => {
  await wear(service, 20, 64);
  await wear(service, 10, 92);
  const late = { ...who, heart_rate: 93, timestamp: service.clock.at(-90) };
  for (const response of [await service.read(late), await service.read(late)])
    expect(response).not.toHaveProperty('raised');
  const knex = openKnex(service.database.url);
  const row = await knex('session_readings').where('timestamp_ms', Date.parse(late.timestamp)).first();
  const body = { ...JSON.parse(row.response), raised: { sinceMs: 1, likely: 'unknown' } };
  await knex('session_readings')
    .where({ position: row.position })
    .update({ response: JSON.stringify(body) });
  expect(await service.read(late)).not.toHaveProperty('raised');
  const { datapoints } = (await service.request('/v1/history?session_id=watch&minutes=60')).body;
  expect(datapoints.find((it: { heart_rate: number }) => it.heart_rate === 93)).not.toHaveProperty('raised');
  expect(datapoints.at(-1)).toHaveProperty('raised');
});

test('a token that must not know the evidence of other sessions gets no cause of it', async ({
  ownService: service,
}) => {
  await wear(service, 20, 64);
  await wear(service, 10, 92);
  service.clock.advance(1);
  const phone = { session_id: 'phone', subject_id: 'anna', timestamp: service.clock.at(), heart_rate: 92 };
  expect(await service.read(phone)).toHaveProperty('raised');
  const [own, other] = [
    await issueToken(service, { session_id: 'phone', subject_id: 'anna' }),
    await issueToken(service, { session_id: 'phone' }),
  ];
  const stateOf = async (token: string) =>
    (await service.request('/v1/state?session_id=phone', { headers: bearer(token) })).body;
  const historyOf = async (token: string) =>
    (await service.request('/v1/history?session_id=phone', { headers: bearer(token) })).body.datapoints[0];
  for (const read of [stateOf, historyOf]) {
    expect(await read(own)).toHaveProperty('raised');
    expect(await read(other)).not.toHaveProperty('raised');
  }
});
