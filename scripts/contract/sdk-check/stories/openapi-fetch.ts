import createClient from 'openapi-fetch';
import type { paths } from './generated/api.js';
import { readFirstReading, service, tell, wrong } from './story.js';

const api = createClient<paths>({ baseUrl: service.url, headers: { 'X-Service-Key': service.key } });

await tell({
  async ingest(body) {
    const { data, error } = await api.POST('/v1/ingest', { body });
    return data ?? wrong('ingest', error);
  },
  async state(session_id) {
    const { data, error } = await api.GET('/v1/state', { params: { query: { session_id } } });
    return data ?? wrong('state', error);
  },
  async sessions(subject_id, state) {
    const { data, error } = await api.GET('/v1/sessions', { params: { query: { subject_id, state } } });
    return data ?? wrong('sessions', error);
  },
  async history(session_id, minutes) {
    const { data, error } = await api.GET('/v1/history', { params: { query: { session_id, minutes } } });
    return data ?? wrong('history', error);
  },
  async triggers(subject_id) {
    const { data, error } = await api.GET('/v1/triggers', { params: { query: { subject_id } } });
    return data ?? wrong('triggers', error);
  },
  async batch(body) {
    const { data, error } = await api.POST('/v1/ingest/batch', { body });
    return data ?? wrong('batch', error);
  },
  async exported(session_id) {
    const { data, error } = await api.GET('/v1/export', { params: { query: { session_id } }, parseAs: 'text' });
    return data ?? wrong('export', error);
  },
  async streamed(session_id) {
    const query = { session_id, last_event_id: '0' };
    const { data, error } = await api.GET('/v1/stream', { params: { query }, parseAs: 'stream' });
    return data ? readFirstReading(data) : wrong('stream', error);
  },
  async register(url) {
    const { data, error } = await api.POST('/webhooks/register', { body: { url, events: ['state_change'] } });
    return data ?? wrong('register', error);
  },
  async remove(id) {
    const { error } = await api.DELETE('/webhooks/{id}', { params: { path: { id } } });
    if (error) wrong('remove', error);
  },
  async refused(body) {
    const { error } = await api.POST('/v1/ingest', { body });
    return error && 'errors' in error ? error : wrong('refused', error);
  },
});
