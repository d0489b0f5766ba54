import { getHistory, getState, getTriggers, ingest, registerWebhook, removeWebhook } from './generated/index';
import { client } from './generated/client.gen';
import { service, tell, wrong } from './story.js';

client.setConfig({ baseUrl: service.url, auth: service.key });

await tell({
  async ingest(body) {
    const { data, error } = await ingest({ body });
    return data ?? wrong('ingest', error);
  },
  async state(session_id) {
    const { data, error } = await getState({ query: { session_id } });
    return data ?? wrong('state', error);
  },
  async history(session_id, minutes) {
    const { data, error } = await getHistory({ query: { session_id, minutes } });
    return data ?? wrong('history', error);
  },
  async triggers(subject_id) {
    const { data, error } = await getTriggers({ query: { subject_id } });
    return data ?? wrong('triggers', error);
  },
  async register(url) {
    const { data, error } = await registerWebhook({ body: { url, events: ['state_change'] } });
    return data ?? wrong('register', error);
  },
  async remove(id) {
    const { error } = await removeWebhook({ path: { id } });
    if (error) wrong('remove', error);
  },
  async refused(body) {
    const { error } = await ingest({ body });
    return error && 'errors' in error ? error : wrong('refused', error);
  },
});
