import createClient from 'openapi-fetch';
import type { paths } from './generated/api.js';
import { type Calls, readData, readFirstReading, readRows, refuse, type Service, failWith } from './calls.js';

export function connect({ baseUrl, key }: Service): Calls {
  const api = createClient<paths>({ baseUrl, headers: { 'X-Service-Key': key } });
  return {
    async ingest(body) {
      const { data, error } = await api.POST('/v1/ingest', { body });
      return data ?? (error && 'errors' in error ? refuse(error) : failWith('ingest', error));
    },
    state: (session_id) => readData('state', api.GET('/v1/state', { params: { query: { session_id } } })),
    sessions: (query) => readData('sessions', api.GET('/v1/sessions', { params: { query } })),
    history: (session_id, minutes) =>
      readData('history', api.GET('/v1/history', { params: { query: { session_id, minutes } } })),
    triggers: (subject_id) => readData('triggers', api.GET('/v1/triggers', { params: { query: { subject_id } } })),
    ingestBatch: (body) => readData('batch', api.POST('/v1/ingest/batch', { body })),
    async *exportReadings({ sessionId: session_id }) {
      const params = { query: { session_id } };
      yield* readRows(await readData('export', api.GET('/v1/export', { params, parseAs: 'text' })));
    },
    async *stream({ sessionId: session_id }) {
      const params = { query: { session_id, last_event_id: '0' } };
      const body = await readData('stream', api.GET('/v1/stream', { params, parseAs: 'stream' }));
      yield { data: await readFirstReading(body) };
    },
    webhooks: {
      register: (body) => readData('register', api.POST('/webhooks/register', { body })),
      async remove(id) {
        const { error } = await api.DELETE('/webhooks/{id}', { params: { path: { id } } });
        if (error) failWith('remove', error);
      },
    },
  };
}
