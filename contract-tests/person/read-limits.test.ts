import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { requestsById } from '../../testkit/documented-requests.js';
import { readFields } from '../../testkit/rate-limit-fields.js';
import { startTestService } from '../../testkit/service.js';
import { bearer, issueToken } from '../../testkit/tokens.js';

const anna = { subject_id: 'anna' };

test('the 121st read of a person per minute is rejected with 429, and reads of the session count separately', async () => {
  const { request, read } = await startTestService({ env: { LIMIT_SESSION_REQUESTS_PER_MINUTE: '' } });
  await read({ ...anna, session_id: 'anna', heart_rate: 70 });
  const paths = ['/v1/state?subject_id=anna', '/v1/history?subject_id=anna'];
  const answers = await Promise.all(Array.from({ length: 121 }, (_, index) => request(paths[index % 2] ?? '')));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(120);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.body).toMatchObject({ violated_policies: ['session'] });
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  const left = answers.filter(({ status }) => status === 200).map((it) => readFields(it).left['session']?.['r']);
  expect(left.sort((a = 0, b = 0) => a - b)).toEqual(Array.from({ length: 120 }, (_, index) => index));
  // The session with the same id as the person has used one request so far.
  expect(readFields(await request('/v1/state?session_id=anna')).left['session']?.['r']).toBe(118);
  expect((await request('/v1/state?subject_id=ben')).status).toBe(404);
});

test('unknown persons count, and no id of a session has the counter of a person', async () => {
  const service = await startTestService({ env: { LIMIT_SESSION_REQUESTS_PER_MINUTE: '2' } });
  const { request } = service;
  for (const status of [404, 404, 429]) expect((await request('/v1/state?subject_id=anna')).status).toBe(status);
  for (const id of ['anna', 'person', 'person:anna', 'person%2520anna'])
    expect((await request(`/v1/state?session_id=${id}`)).status).toBe(404);
});

test('reads with a token and with a key share the limit of the person', async () => {
  const service = await startTestService({ env: { LIMIT_SESSION_REQUESTS_PER_MINUTE: '2' } });
  // Names a session, so it does not count for the person.
  const headers = bearer(await issueToken(service, anna));
  expect((await service.request('/v1/state?subject_id=anna', { headers })).status).toBe(404);
  expect((await service.request('/v1/history?subject_id=anna')).status).toBe(404);
  expect((await service.request('/v1/state?subject_id=anna', { headers })).status).toBe(429);
});

test('every operation counts a request for the session that it names, otherwise for the person', async () => {
  const service = await startTestService({ env: { LIMIT_SESSION_REQUESTS_PER_MINUTE: '2' } });
  for (const request of requestsById().filter(({ idName }) => idName === 'session_id' || idName === 'subject_id')) {
    // The responses to lines of a batch have their own status: see ingestBatch/limits.test.ts.
    if (request.operationId === 'ingestBatch') continue;
    const [id, session_id] = [randomUUID(), randomUUID()];
    const { path, init } = request.build(id, { timestamp: service.clock.at(), session_id });
    // A body that names the person may name a session too.
    const isOfSession = request.idName === 'session_id' || String(init.body).includes(session_id);
    const named = request.idName === 'session_id' ? id : session_id;
    await service.request(isOfSession ? `/v1/state?session_id=${named}` : `/v1/state?subject_id=${id}`);
    const statuses = [];
    for (let count = 0; count < 2; count += 1) {
      const response = await fetch(service.url + path, {
        ...init,
        headers: { ...init.headers, 'X-Service-Key': service.key },
      });
      await response.body?.cancel();
      statuses.push(response.status === 429);
    }
    expect([request.title, ...statuses]).toEqual([request.title, false, true]);
  }
});

test('exports, streams and lists that name neither keep their own limits', async () => {
  const service = await startTestService({ env: { LIMIT_SESSION_REQUESTS_PER_MINUTE: '2' } });
  for (const path of ['/v1/export', '/v1/sessions', '/v1/feedback', '/v1/stream'])
    for (let count = 0; count < 3; count += 1)
      expect([path, (await service.request(path, { method: 'HEAD' })).status]).toEqual([path, 200]);
});
