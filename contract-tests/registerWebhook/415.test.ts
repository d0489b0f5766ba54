import { expect, test } from 'vitest';
import { sendRaw } from '../support/raw.js';
import { startTestService } from '../support/service.js';

const chunks = [JSON.stringify({ url: 'https://8.8.8.8', events: ['state_change'] })];

test.each([{ 'Content-Type': 'text/plain' }, { 'Content-Encoding': 'gzip' }])(
  'a body with %j is not supported',
  async (headers) => {
    const service = await startTestService();
    const answer = await sendRaw(service, { path: '/webhooks/register', headers: { ...headers }, chunks });
    expect(answer.body).toMatchObject({ status: 415, code: 'unsupported_media_type' });
    expect((await service.request('/webhooks')).body.webhooks).toEqual([]);
  },
);
