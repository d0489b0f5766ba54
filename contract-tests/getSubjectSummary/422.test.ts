import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';
import { bearer, issueToken } from '../../testkit/tokens.js';

test.each([
  ['?interval=week', 'interval', 'enum'],
  ['?interval=day&time_zone=Vienna', 'time_zone', 'time_zone_invalid'],
  ['?interval=day&time_zone=%2B01:00', 'time_zone', 'pattern_mismatch'],
  ['?time_zone=Europe/Vienna', 'time_zone', 'time_zone_of_hours'],
  ['?from=2026-02-30T00:00:00Z', 'from', 'date_time_invalid'],
  ['?from=2026-03-02T00:00:00Z&to=2026-03-02T00:00:00Z', 'from', 'range_empty'],
  ['?cursor=MTc5', 'cursor', 'cursor_invalid'],
  ['?minutes=5', 'minutes', 'extra_forbidden'],
])('the query "%s" is rejected: %s, %s', async (query, parameter, code) => {
  const { read, request } = await startTestService();
  await read({ subject_id: 'p', heart_rate: 70 });
  const { body } = await request(`/v1/subjects/p/summary${query}`);
  expect(body).toMatchObject({ status: 422, errors: [{ parameter, code }] });
});

test('a session token cannot read a summary', async () => {
  const service = await startTestService();
  await service.read({ subject_id: 'p', heart_rate: 70 });
  const headers = bearer(await issueToken(service, { session_id: 's1', subject_id: 'p' }));
  expect((await service.request('/v1/subjects/p/summary', { headers })).status).toBe(401);
});
