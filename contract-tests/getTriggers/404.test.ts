import { expect, test } from 'vitest';
import { createKey } from '../../src/keys/manage.js';
import { createKeyTable } from '../../src/store/keys.js';
import { startTestService } from '../../testkit/service.js';

const turn = { user_message: 'my exam is tomorrow', ai_response: 'Good luck!' };

test('an unknown subject has no profile', async () => {
  const { request } = await startTestService();
  const answer = await request('/v1/triggers?subject_id=never-seen');
  expect(answer.body).toMatchObject({ status: 404, detail: 'No data for this subject', code: 'subject_not_found' });
});

test.each([{ heart_rate: 70 }, { tone: 'tense' as const }])(
  'a subject with the reading %j and no topic has an empty profile until it is erased',
  async (signals) => {
    const { read, request } = await startTestService();
    await read({ subject_id: 'silent', ...signals });
    const { status, body } = await request('/v1/triggers?subject_id=silent');
    expect([status, body]).toEqual([200, { subject_id: 'silent', triggers: {}, active: [], resolved: [] }]);
    expect((await request('/v1/subjects/silent', { method: 'DELETE' })).status).toBe(200);
    expect((await request('/v1/triggers?subject_id=silent')).status).toBe(404);
  },
);

test('a subject of another account gets the same response as an absent subject', async () => {
  const { read, request, store, clock } = await startTestService();
  await read({ subject_id: 'anna', heart_rate: 70, ...turn });
  const { key } = await createKey(store.use(createKeyTable), { account: 'stranger', tier: 'solo' }, clock.nowMs);
  const asStranger = async (path: string, method = 'GET') => {
    const { body } = await request(path, { method, headers: { 'X-Service-Key': key } });
    return { ...body, request_id: '' };
  };
  expect(await asStranger('/v1/triggers?subject_id=anna')).toEqual(await asStranger('/v1/triggers?subject_id=nobody'));
  expect(await asStranger('/v1/subjects/anna', 'DELETE')).toEqual(await asStranger('/v1/subjects/nobody', 'DELETE'));
  expect((await request('/v1/triggers?subject_id=anna')).status).toBe(200);
});
