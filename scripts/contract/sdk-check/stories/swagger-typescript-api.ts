import { Api, type Problem, type ValidationProblem } from './generated/api';
import { service, tell, wrong } from './story.js';

const api = new Api({
  baseUrl: service.url,
  securityWorker: () => ({ headers: { 'X-Service-Key': service.key } }),
});

await tell({
  ingest: async (reading) => (await api.v1.ingest(reading)).data,
  state: async (session_id) => (await api.v1.getState({ session_id })).data,
  history: async (session_id, minutes) => (await api.v1.getHistory({ session_id, minutes })).data,
  triggers: async (subject_id) => (await api.v1.getTriggers({ subject_id })).data,
  async register(url) {
    const { data } = await api.webhooks.registerWebhook({ url, events: ['state_change'] });
    return data;
  },
  async remove(id) {
    await api.webhooks.removeWebhook(id);
  },
  async refused(reading) {
    try {
      return wrong('refused', (await api.v1.ingest(reading)).data);
    } catch (thrown) {
      const { error } = thrown as { error?: Problem | ValidationProblem };
      return error && 'errors' in error ? error : wrong('refused', error);
    }
  },
});
