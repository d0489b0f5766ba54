import { expect, test } from 'vitest';
import { openStream } from '../../testkit/event-source.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { bearer, issueToken } from '../../testkit/tokens.js';
import { until } from '../../testkit/until.js';

const anna = { subject_id: 'anna' };

/** Gives a person a watch and a chat. Returns the headers of a token for the session `kiosk` and this person. */
async function startWithToken(): Promise<{ service: TestService; headers: Record<string, string> }> {
  const service = await startTestService();
  await service.read({ ...anna, session_id: 'kiosk', heart_rate: 70 });
  service.clock.advance(1);
  await service.read({ ...anna, session_id: 'secret-watch', heart_rate: 75 });
  return { service, headers: bearer(await issueToken(service, { ...anna, session_id: 'kiosk' })) };
}

test('a token of a person reports for the person, and another token does not', async () => {
  const { service } = await startWithToken();
  const scopes = ['feedback' as const];
  const post = async (subject_id?: string) => {
    const headers = bearer(
      await issueToken(service, { session_id: 'kiosk', scopes, ...(subject_id && { subject_id }) }),
    );
    return service.post('/v1/feedback', { ...anna, timestamp: service.clock.at(), stress: 4 }, headers);
  };
  expect((await post('anna')).body).toMatchObject({ ...anna, stress: 4 });
  for (const other of [undefined, 'ben']) expect((await post(other)).body).toMatchObject({ code: 'invalid_token' });
});

test('a token of a person streams the readings of all sessions as its own, and only its own state changes', async () => {
  const { service, headers } = await startWithToken();
  const ofToken = await openStream(service, { ...anna, last_event_id: '0' }, headers);
  const ofKey = await openStream(service, { ...anna, last_event_id: '0' });
  for (const session_id of ['secret-watch', 'kiosk']) {
    service.clock.advance(1);
    await service.read({ session_id, heart_rate: 150, tone: 'hostile', expression: 'frowning' });
  }
  const all = await ofKey.until(6);
  expect(all.map(({ type, data }) => [type, data.session_id])).toEqual([
    ...[
      ['reading', 'kiosk'],
      ['reading', 'secret-watch'],
    ],
    ...[
      ['reading', 'secret-watch'],
      ['state_change', 'secret-watch'],
    ],
    ...[
      ['reading', 'kiosk'],
      ['state_change', 'kiosk'],
    ],
  ]);
  const own = await ofToken.until(5);
  const shown = all.filter(({ type, data }) => type === 'reading' || data.session_id === 'kiosk');
  expect(own).toEqual(shown.map((event) => ({ ...event, data: { ...event.data, session_id: 'kiosk' } })));
  expect(ofToken.text()).not.toContain('secret-watch');
  expect(ofToken.events()[0]?.data).toEqual(anna);
  // After the state change that was not sent, a client continues without a repetition.
  const resumed = await openStream(service, { ...anna, last_event_id: own[2]?.id ?? '' }, headers);
  expect(await resumed.until(2)).toEqual(own.slice(3));
});

test('a token reads no person without the signature, and every refusal is the same', async () => {
  const { service } = await startWithToken();
  const withoutPerson = bearer(await issueToken(service, { session_id: 'kiosk' }));
  const withOther = bearer(await issueToken(service, { session_id: 'kiosk', subject_id: 'ben' }));
  const withoutScope = bearer(await issueToken(service, { ...anna, session_id: 'kiosk', scopes: ['ingest'] }));
  const withPerson = bearer(await issueToken(service, { ...anna, session_id: 'kiosk' }));
  const unknown = await service.request('/v1/state?session_id=kiosk', { headers: bearer('a.b.c') });
  const { request_id: _, ...problem } = unknown.body;
  expect(problem).toMatchObject({ status: 401, code: 'invalid_token' });
  const refused = async (path: string, headers: Record<string, string>) => {
    const { body } = await service.request(path, { headers });
    const { request_id: __, ...found } = body;
    expect([path, JSON.stringify(found)]).toEqual([path, JSON.stringify(problem)]);
  };
  for (const operation of ['state', 'history', 'stream', 'export'])
    for (const headers of [withoutPerson, withOther, withoutScope])
      for (const id of ['anna', 'unknown']) await refused(`/v1/${operation}?subject_id=${id}`, headers);
  for (const path of ['triggers', 'sessions', 'subjects/anna'])
    await refused(`/v1/${path}${path.startsWith('subjects') ? '' : '?subject_id=anna'}`, withPerson);
  await refused('/v1/state?session_id=secret-watch', withPerson);
  expect((await service.request('/v1/state?session_id=kiosk', { headers: withPerson })).status).toBe(200);
});

test('a token from before the erasure of its person reads nothing, also when the person has data again', async () => {
  const { service, headers } = await startWithToken();
  const stream = await openStream(service, anna, headers);
  service.clock.advance(1);
  await service.request('/v1/subjects/anna', { method: 'DELETE' });
  service.clock.advance(1);
  await service.read({ ...anna, session_id: 'secret-watch', heart_rate: 80 });
  await until('the stream ends', async () => stream.isEnded());
  expect(stream.text()).not.toContain('"stress_score"');
  const unknown = await service.request('/v1/state?session_id=kiosk', { headers: bearer('a.b.c') });
  for (const operation of ['state', 'history', 'stream', 'export']) {
    const { body } = await service.request(`/v1/${operation}?subject_id=anna`, { headers });
    expect(body).toEqual({ ...unknown.body, request_id: body.request_id });
  }
  const fresh = bearer(await issueToken(service, { ...anna, session_id: 'kiosk' }));
  expect((await service.request('/v1/state?subject_id=anna', { headers: fresh })).status).toBe(200);
});
