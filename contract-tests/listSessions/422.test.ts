import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';

function cursorOf(text: string): string {
  return Buffer.from(text).toString('base64url');
}

test.each([
  ['cursor=made-up', 'cursor', 'cursor_invalid'],
  ['subject_id=', 'subject_id', 'string_too_short'],
  ['subject_id=a%20b', 'subject_id', 'pattern_mismatch'],
  ['subject_id=a&subject_id=b', 'subject_id', 'repeated'],
  ['limit=5', 'limit', 'extra_forbidden'],
  ['state=stressed,unknown', 'state', 'enum'],
  ['state=', 'state', 'enum'],
  ['state=calm&state=unknown', 'state', 'enum'],
  ['sort=name', 'sort', 'enum'],
  ['points=21', 'points', 'less_than_equal'],
  ['points=-1', 'points', 'greater_than_equal'],
  ['points=1.5', 'points', 'integer_type'],
  [`sort=score&cursor=${cursorOf('activity.1.1.1.1.000000000000')}`, 'cursor', 'cursor_invalid'],
  [`sort=score&cursor=${cursorOf('score.1.-1.1.1.000000000000')}`, 'cursor', 'cursor_invalid'],
  [`sort=score&cursor=${cursorOf("score.1.1.1.1.00000000000'")}`, 'cursor', 'cursor_invalid'],
  [`sort=score&cursor=${cursorOf('score.99999999999999.1.1.1.000000000000')}`, 'cursor', 'cursor_invalid'],
  [`sort=score&cursor=${cursorOf('1795252324310.7c1e90ab34d2')}`, 'cursor', 'cursor_invalid'],
  [`cursor=${cursorOf('score.1.1.1.1.000000000000')}`, 'cursor', 'cursor_invalid'],
])('the query %s is rejected', async (query, parameter, code) => {
  const { body } = await (await startTestService()).request(`/v1/sessions?${query}`);
  expect(body).toMatchObject({ status: 422, code: 'validation_failed' });
  expect(body.errors).toContainEqual(expect.objectContaining({ parameter, code }));
});

test('a cursor with extreme numbers returns an empty snapshot', async () => {
  const service = await startTestService();
  await service.read({ session_id: 'one', heart_rate: 70 });
  for (const [time, position] of [
    ['0', '0'],
    ['9999999999999', '9999999999999999'],
  ]) {
    const cursor = cursorOf(['score', time, position, '0', '0', '000000000000'].join('.'));
    const { status, body } = await service.request(`/v1/sessions?sort=score&cursor=${cursor}`);
    expect([status, body.sessions, body.next_cursor]).toEqual([200, [], null]);
  }
});
