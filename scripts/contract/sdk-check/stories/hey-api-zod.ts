/**
 * The scenario with a client that validates every response. Also checks that the generated schemas contain the rules of
 * the contract.
 */
import './hey-api.js';
import { zRegisterWebhookResponse, zSignalSubmission, zStateReading } from './generated/zod.gen';
import contract from './openapi.json';
import { expect } from './story.js';

const { StateReading, Tone, Webhook } = contract.components.schemas;
const webhook = {
  ...Object.fromEntries(
    Object.entries(Webhook.properties).map(([name, it]) => [name, 'example' in it ? it.example : '']),
  ),
  ...{ id: 'wh_1', status: 'active', created_at: '2026-11-21T09:30:00.000Z' },
};
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwbEsfYwTzXkM=';
expect('the secret', zRegisterWebhookResponse.parse({ ...webhook, secret }).secret, secret);
expect('a webhook without a secret', zRegisterWebhookResponse.safeParse(webhook).success, false);
expect(
  'the required fields',
  StateReading.required.every((name) => name in zStateReading.shape),
  true,
);

const reading = { session_id: 's1', timestamp: '2026-11-21T09:30:00.000Z' };
const accepts = (fields: object) => zSignalSubmission.safeParse({ ...reading, ...fields }).success;
expect(
  'every tone',
  Tone.enum.every((tone) => accepts({ tone })),
  true,
);
for (const fields of [{ tone: 'cheerful' }, { heart_rate: 221 }, { sdnn: 0 }, { source_device: 'x'.repeat(65) }])
  expect(`a limit of ${Object.keys(fields)}`, accepts(fields), false);
