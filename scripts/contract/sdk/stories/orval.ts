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
} from './generated/api';
import { service, tell, wrong } from './story.js';

const withKey = { headers: { 'X-Service-Key': service.key } };

await tell({
  async ingest(reading) {
    const answer = await ingest(reading, withKey);
    return answer.status === 200 ? answer.data : wrong('ingest', answer);
  },
  async state(session_id) {
    const answer = await getState({ session_id }, withKey);
    return answer.status === 200 ? answer.data : wrong('state', answer);
  },
  async sessions(subject_id, state) {
    const answer = await listSessions({ subject_id, state }, withKey);
    return answer.status === 200 ? answer.data : wrong('sessions', answer);
  },
  async history(session_id, minutes) {
    const answer = await getHistory({ session_id, minutes }, withKey);
    return answer.status === 200 ? answer.data : wrong('history', answer);
  },
  async triggers(subject_id) {
    const answer = await getTriggers({ subject_id }, withKey);
    return answer.status === 200 ? answer.data : wrong('triggers', answer);
  },
  async batch(readings) {
    // This generator sets no media type where the contract has two. The service finds it.
    const answer = await ingestBatch(readings, withKey);
    return answer.status === 200 ? answer.data : wrong('batch', answer);
  },
  async exported(session_id) {
    const answer = await exportReadings({ session_id }, withKey);
    return answer.status === 200 && 'stream' in answer ? answer.stream.text() : wrong('export', answer);
  },
  async register(url) {
    const answer = await registerWebhook({ url, events: ['state_change'] }, withKey);
    return answer.status === 201 ? answer.data : wrong('register', answer);
  },
  async remove(id) {
    const answer = await removeWebhook(id, withKey);
    if (answer.status !== 204) wrong('remove', answer);
  },
  async refused(reading) {
    const answer = await ingest(reading, withKey);
    return answer.status === 422 ? answer.data : wrong('refused', answer);
  },
});
