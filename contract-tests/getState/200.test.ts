import { expect, test } from 'vitest';
import { startTestService } from '../support/service.js';

test('the state is that of the newest reading and does not decay', async () => {
  const { read, request, clock } = await startTestService();
  const sent = await read({ heart_rate: 112, tone: 'hostile', sentiment: -0.7 });
  clock.advance(3600);
  expect((await request('/v1/state?session_id=s1')).body).toEqual(sent);
});

test('HEAD gets the headers of GET without a body', async () => {
  const { read, request } = await startTestService();
  await read({ heart_rate: 70 });
  const head = await request('/v1/state?session_id=s1', { method: 'HEAD' });
  expect(head.status).toBe(200);
  expect(head.body).toBeUndefined();
  expect(Number(head.headers.get('content-length'))).toBeGreaterThan(100);
});

test('a session_id with an unencoded colon and slash is accepted', async () => {
  const { read, request } = await startTestService();
  await read({ session_id: 'app:user/7', heart_rate: 70 });
  expect((await request('/v1/state?session_id=app:user/7')).body.session_id).toBe('app:user/7');
});
