import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';

test.each([
  ['exams', 'anna'],
  ['not_a_topic', 'anna'],
  ['exams', 'nobody'],
])('the topic %s of %s is unknown', async (topic, subject) => {
  const { read, request } = await startTestService();
  await read({ session_id: 's1', subject_id: 'anna', heart_rate: 70 });
  const { status, body } = await request(`/v1/subjects/${subject}/triggers/${topic}`, { method: 'DELETE' });
  expect([status, body.code]).toEqual([404, 'topic_not_found']);
  expect((await request('/v1/subjects/nobody')).status).toBe(404);
});

test('a topic of another account is not removed', async () => {
  const [ours, others] = [await startTestService(), await startTestService()];
  const turn = { user_message: 'My exam is tomorrow and I worry.', ai_response: 'I understand.' };
  await ours.read({ session_id: 's1', subject_id: 'anna', heart_rate: 70, ...turn });
  const path = '/v1/subjects/anna/triggers/exams';
  expect((await others.request(path, { method: 'DELETE' })).status).toBe(404);
  expect((await ours.request(path, { method: 'DELETE' })).status).toBe(204);
});
