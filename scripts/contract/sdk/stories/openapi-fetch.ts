import createClient from 'openapi-fetch';
import type { paths } from './generated/api.js';
import { readData, readFirstReading, service, tell, wrong } from './story.js';

const api = createClient<paths>({ baseUrl: service.url, headers: { 'X-Service-Key': service.key } });

await tell({
  ingest: (body) => readData('ingest', api.POST('/v1/ingest', { body })),
  state: (session_id) => readData('state', api.GET('/v1/state', { params: { query: { session_id } } })),
  sessions: (subject_id, state) =>
    readData('sessions', api.GET('/v1/sessions', { params: { query: { subject_id, state } } })),
  history: (session_id, minutes) =>
    readData('history', api.GET('/v1/history', { params: { query: { session_id, minutes } } })),
  triggers: (subject_id) => readData('triggers', api.GET('/v1/triggers', { params: { query: { subject_id } } })),
  batch: (body) => readData('batch', api.POST('/v1/ingest/batch', { body })),
  exported: (session_id) =>
    readData('export', api.GET('/v1/export', { params: { query: { session_id } }, parseAs: 'text' })),
  async streamed(session_id) {
    const query = { session_id, last_event_id: '0' };
    return readFirstReading(await readData('stream', api.GET('/v1/stream', { params: { query }, parseAs: 'stream' })));
  },
  register: (url) => readData('register', api.POST('/webhooks/register', { body: { url, events: ['state_change'] } })),
  async remove(id) {
    const { error } = await api.DELETE('/webhooks/{id}', { params: { path: { id } } });
    if (error) wrong('remove', error);
  },
  async refused(body) {
    const { error } = await api.POST('/v1/ingest', { body });
    return error && 'errors' in error ? error : wrong('refused', error);
  },
});
