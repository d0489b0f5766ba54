import { expect, test } from 'vitest';
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

test('unknown persons count, streams do not, and no id of a session has the counter of a person', async () => {
  const service = await startTestService({ env: { LIMIT_SESSION_REQUESTS_PER_MINUTE: '2' } });
  const { request } = service;
  for (let count = 0; count < 3; count += 1)
    expect((await request('/v1/stream?subject_id=anna&events=reading', { method: 'HEAD' })).status).toBe(200);
  for (const status of [404, 404, 429]) expect((await request('/v1/state?subject_id=anna')).status).toBe(status);
  for (const id of ['anna', 'person', 'person:anna', 'person%2520anna'])
    expect((await request(`/v1/state?session_id=${id}`)).status).toBe(404);
});

test('reads with a token and with a key share the limit of the person', async () => {
  const service = await startTestService({ env: { LIMIT_SESSION_REQUESTS_PER_MINUTE: '2' } });
  const headers = bearer(await issueToken(service, anna));
  expect((await service.request('/v1/state?subject_id=anna', { headers })).status).toBe(404);
  expect((await service.request('/v1/history?subject_id=anna')).status).toBe(404);
  expect((await service.request('/v1/state?subject_id=anna', { headers })).status).toBe(429);
});
