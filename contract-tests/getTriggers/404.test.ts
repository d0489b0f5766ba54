import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';

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
