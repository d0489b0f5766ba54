import { expect, test } from '../../testkit/test.js';

function cursorOf(text: string): string {
  return Buffer.from(text).toString('base64url');
}

test('a cursor with extreme numbers returns an empty snapshot', async ({ service }) => {
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
