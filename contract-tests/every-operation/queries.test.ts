/** Values of query parameters that the contract rejects. `refusals.test.ts` sends an unknown parameter to every operation. */
import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';

type Case = readonly [query: string, parameter: string, code: string];

const cursorOf = (text: string) => `cursor=${Buffer.from(text).toString('base64url')}`;

const cases: Readonly<Record<string, readonly Case[]>> = {
  '/v1/export': [
    ['format=xml', 'format', 'enum'],
    ['format=CSV', 'format', 'enum'],
    ['format=', 'format', 'string_too_short'],
    ['format=csv&format=csv', 'format', 'repeated'],
    ['cursor=abc', 'cursor', 'pattern_mismatch'],
    ['cursor=-1', 'cursor', 'pattern_mismatch'],
    ['cursor=12345678901234567', 'cursor', 'string_too_long'],
    ['session_id=a%20b', 'session_id', 'pattern_mismatch'],
    ['subject_id=', 'subject_id', 'string_too_short'],
    ['session_id=s1&subject_id=p', 'subject_id', 'exclusive'],
  ],
  '/v1/sessions': [
    ['cursor=made-up', 'cursor', 'cursor_invalid'],
    ['subject_id=', 'subject_id', 'string_too_short'],
    ['subject_id=a%20b', 'subject_id', 'pattern_mismatch'],
    ['subject_id=a&subject_id=b', 'subject_id', 'repeated'],
    ['state=stressed,bored', 'state', 'enum'],
    ['state=', 'state', 'enum'],
    ['state=calm&state=bored', 'state', 'enum'],
    ['sort=name', 'sort', 'enum'],
    ['points=21', 'points', 'less_than_equal'],
    ['points=-1', 'points', 'greater_than_equal'],
    ['points=1.5', 'points', 'integer_type'],
    [`sort=score&${cursorOf('activity.1.1.1.1.000000000000')}`, 'cursor', 'cursor_invalid'],
    [`sort=score&${cursorOf('score.1.-1.1.1.000000000000')}`, 'cursor', 'cursor_invalid'],
    [`sort=score&${cursorOf("score.1.1.1.1.00000000000'")}`, 'cursor', 'cursor_invalid'],
    [`sort=score&${cursorOf('score.99999999999999.1.1.1.000000000000')}`, 'cursor', 'cursor_invalid'],
    [`sort=score&${cursorOf('1795252324310.7c1e90ab34d2')}`, 'cursor', 'cursor_invalid'],
    [cursorOf('score.1.1.1.1.000000000000'), 'cursor', 'cursor_invalid'],
  ],
  '/webhooks/deliveries': [
    ['status=pending', 'status', 'enum'],
    ['status=', 'status', 'string_too_short'],
    ['cursor=made-up', 'cursor', 'cursor_invalid'],
    ['since=yesterday', 'since', 'pattern_mismatch'],
    ['webhook_id=a%20b', 'webhook_id', 'pattern_mismatch'],
    ['session_id=a&session_id=b', 'session_id', 'repeated'],
  ],
  '/webhooks/retries': [
    [`cursor=${'x'.repeat(129)}`, 'cursor', 'string_too_long'],
    ['cursor=made-up', 'cursor', 'cursor_invalid'],
    ['cursor=0', 'cursor', 'cursor_invalid'],
    ['cursor=null', 'cursor', 'cursor_invalid'],
    [cursorOf('e1.dlv_00000000000000000000'), 'cursor', 'cursor_invalid'],
    [`sort=event_time&${cursorOf('1.dlv_00000000000000000000')}`, 'cursor', 'cursor_invalid'],
    ['sort=newest', 'sort', 'enum'],
    [cursorOf("1.dlv_' or 1=1 --"), 'cursor', 'cursor_invalid'],
    [cursorOf('-1.dlv_00000000000000000000'), 'cursor', 'cursor_invalid'],
    [cursorOf('1e9.dlv_00000000000000000000'), 'cursor', 'cursor_invalid'],
    [cursorOf('1.wh_00000000000000000000'), 'cursor', 'cursor_invalid'],
    ['since=yesterday', 'since', 'pattern_mismatch'],
    ['since=', 'since', 'string_too_short'],
    ['since=1795253400', 'since', 'pattern_mismatch'],
    ['since=2026-11-21T09:00:00', 'since', 'pattern_mismatch'],
    ['since=2026-11-21T09:00:00%2B02:00', 'since', 'pattern_mismatch'],
    ['since=2026-02-30T09:00:00Z', 'since', 'date_time_invalid'],
    ['webhook_id=', 'webhook_id', 'string_too_short'],
    ['webhook_id=a%20b', 'webhook_id', 'pattern_mismatch'],
    ['webhook_id=a&webhook_id=b', 'webhook_id', 'repeated'],
    ['session_id=', 'session_id', 'string_too_short'],
    [`session_id=${'x'.repeat(257)}`, 'session_id', 'string_too_long'],
  ],
  '/v1/subjects/p/summary': [
    ['interval=week', 'interval', 'enum'],
    ['interval=day&time_zone=Vienna', 'time_zone', 'time_zone_invalid'],
    ['interval=day&time_zone=%2B01:00', 'time_zone', 'pattern_mismatch'],
    ['time_zone=Europe/Vienna', 'time_zone', 'time_zone_of_hours'],
    ['from=2026-02-30T00:00:00Z', 'from', 'date_time_invalid'],
    ['from=2026-03-02T00:00:00Z&to=2026-03-02T00:00:00Z', 'from', 'range_empty'],
    ['cursor=MTc5', 'cursor', 'cursor_invalid'],
  ],
  '/v1/triggers': [
    ['', 'subject_id', 'missing'],
    ['subject_id=', 'subject_id', 'string_too_short'],
    ['subject_id=a%20b', 'subject_id', 'pattern_mismatch'],
    ['subject_id=a&subject_id=b', 'subject_id', 'repeated'],
  ],
  '/v1/subjects/p/accesses': [
    ['cursor=x', 'cursor', 'cursor_invalid'],
    ['cursor=MTIz', 'cursor', 'cursor_invalid'],
    [cursorOf('1.zz.2'), 'cursor', 'cursor_invalid'],
  ],
  '/v1/history': [
    ['session_id=s1&minutes=0', 'minutes', 'greater_than_equal'],
    ['session_id=s1&minutes=-1', 'minutes', 'greater_than_equal'],
    ['session_id=s1&minutes=61', 'minutes', 'less_than_equal'],
    ...['999999999999999999', '1e1', '0x10', '5.5', '%205', 'five', '+5', ''].map((minutes): Case => {
      return [`session_id=s1&minutes=${minutes}`, 'minutes', 'integer_type'];
    }),
    ['session_id=s1&minutes=5&minutes=6', 'minutes', 'repeated'],
    ['session_id=s1&until=2026-02-30T00:00:00Z', 'until', 'date_time_invalid'],
    ['session_id=s1&until=2026-11-21T09:30:00%2B01:00', 'until', 'pattern_mismatch'],
  ],
};
const rows = Object.entries(cases).flatMap(([path, its]) => its.map((it) => [path, ...it] as const));

test.each(rows)('%s rejects the query "%s": %s, %s', async (path, query, parameter, code) => {
  const { read, request } = await startTestService();
  await read({ subject_id: 'p', heart_rate: 70 });
  const { body } = await request(`${path}?${query}`);
  expect(body).toMatchObject({ status: 422, code: 'validation_failed' });
  expect(body.errors).toContainEqual(expect.objectContaining({ parameter, code }));
});
