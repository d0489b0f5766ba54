import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';

test.each([
  ['0', 'greater_than_equal'],
  ['-1', 'greater_than_equal'],
  ['61', 'less_than_equal'],
  ['999999999999999999', 'integer_type'],
  ['1e1', 'integer_type'],
  ['0x10', 'integer_type'],
  ['5.5', 'integer_type'],
  ['%205', 'integer_type'],
  ['five', 'integer_type'],
  ['+5', 'integer_type'],
  ['', 'integer_type'],
  ['5&minutes=6', 'repeated'],
])('minutes=%s is rejected with %s', async (minutes, code) => {
  const { request } = await startTestService();
  const { body } = await request(`/v1/history?session_id=s1&minutes=${minutes}`);
  expect(body).toMatchObject({ status: 422, errors: [{ parameter: 'minutes', code }] });
  expect(body.errors).toHaveLength(1);
});

test('errors of several parameters are listed in one response', async () => {
  const { request } = await startTestService();
  const { body } = await request('/v1/history?minutes=61&window=5');
  const found = body.errors.map((it: { parameter: string; code: string }) => [it.parameter, it.code]).sort();
  expect(found).toEqual([
    ['minutes', 'less_than_equal'],
    ['session_id', 'missing'],
    ['window', 'extra_forbidden'],
  ]);
});

test.each(['2026-02-30T00:00:00Z', '2026-11-21T09:30:00+01:00', '2026-11-21', 'yesterday'])(
  'until=%s is rejected',
  async (until) => {
    const { request } = await startTestService();
    const { body } = await request(`/v1/history?session_id=s1&until=${encodeURIComponent(until)}`);
    expect(body.status).toBe(422);
    expect(new Set(body.errors.map((it: { parameter: string }) => it.parameter))).toEqual(new Set(['until']));
  },
);
