/**
 * The scenario with a client that validates every response. Also checks that the generated schemas contain the rules of
 * the contract.
 */
import {
  exportReadings,
  getHistory,
  getState,
  getTriggers,
  ingest,
  ingestBatch,
  listSessions,
  registerWebhook,
  removeWebhook,
  streamEvents,
} from './generated/index';
import { client } from './generated/client.gen';
import { zRegisterWebhookResponse, zSignalSubmission, zStateReading } from './generated/zod.gen';
import contract from './openapi.json';
import { expect, readData, service, tell, wrong } from './story.js';

client.setConfig({ baseUrl: service.url, auth: service.key });

await tell({
  ingest: (body) => readData('ingest', ingest({ body })),
  state: (session_id) => readData('state', getState({ query: { session_id } })),
  sessions: (subject_id, state) => readData('sessions', listSessions({ query: { subject_id, state } })),
  history: (session_id, minutes) => readData('history', getHistory({ query: { session_id, minutes } })),
  triggers: (subject_id) => readData('triggers', getTriggers({ query: { subject_id } })),
  batch: (body) => readData('batch', ingestBatch({ body })),
  exported: (session_id) => readData('export', exportReadings({ query: { session_id }, parseAs: 'text' })),
  async streamed(session_id) {
    // The contract describes the text of a stream, and this client validates the data of each event.
    const responseValidator = async () => undefined;
    // Leaving the loop does not close the connection.
    const controller = new AbortController();
    const query = { session_id, last_event_id: '0' };
    const { stream } = await streamEvents({ query, responseValidator, signal: controller.signal });
    for await (const event of stream) {
      const reading = zStateReading.safeParse(event);
      if (!reading.success) continue;
      controller.abort();
      return reading.data;
    }
    return wrong('stream', 'no reading');
  },
  register: (url) => readData('register', registerWebhook({ body: { url, events: ['state_change'] } })),
  async remove(id) {
    const { error } = await removeWebhook({ path: { id } });
    if (error) wrong('remove', error);
  },
  async refused(body) {
    const { error } = await ingest({ body });
    return error && 'errors' in error ? error : wrong('refused', error);
  },
});

const { StateReading, Tone, Webhook } = contract.components.schemas;
const webhook = {
  ...Object.fromEntries(
    Object.entries(Webhook.properties).flatMap(([name, it]) => ('example' in it ? [[name, it.example]] : [])),
  ),
  ...{ id: 'wh_1', status: 'active', retry: 'standard', created_at: '2026-11-21T09:30:00.000Z' },
};
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwbEsfYwTzXkM=';
expect('the secret', zRegisterWebhookResponse.parse({ ...webhook, secret }).secret, secret);
expect('a webhook with an empty secret', zRegisterWebhookResponse.safeParse({ ...webhook, secret: '' }).success, false);
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
