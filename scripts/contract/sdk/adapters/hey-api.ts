/** A client that validates every response. Loading it checks that the generated schemas contain the rules of the contract. */
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
import { type Calls, readData, readRows, refuse, type Service, failWith } from './calls.js';

export function connect({ baseUrl, key }: Service): Calls {
  client.setConfig({ baseUrl, auth: key });
  return {
    async ingest(body) {
      const { data, error } = await ingest({ body });
      return data ?? (error && 'errors' in error ? refuse(error) : failWith('ingest', error));
    },
    state: (session_id) => readData('state', getState({ query: { session_id } })),
    sessions: (query) => readData('sessions', listSessions({ query })),
    history: (session_id, minutes) => readData('history', getHistory({ query: { session_id, minutes } })),
    triggers: (subject_id) => readData('triggers', getTriggers({ query: { subject_id } })),
    ingestBatch: (body) => readData('batch', ingestBatch({ body })),
    async *exportReadings({ sessionId: session_id }) {
      yield* readRows(await readData('export', exportReadings({ query: { session_id }, parseAs: 'text' })));
    },
    async *stream({ sessionId: session_id }) {
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
        yield reading;
      }
    },
    webhooks: {
      register: (body) => readData('register', registerWebhook({ body })),
      async remove(id) {
        const { error } = await removeWebhook({ path: { id } });
        if (error) failWith('remove', error);
      },
    },
  };
}

function expect(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) failWith(what, { actual, expected });
}

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
