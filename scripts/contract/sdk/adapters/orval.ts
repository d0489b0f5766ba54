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
import { type Calls, readRows, refuse, type Service, failWith } from './calls.js';

export function connect({ key }: Service): Calls {
  const withKey = { headers: { 'X-Service-Key': key } };
  return {
    async ingest(reading) {
      const answer = await ingest(reading, withKey);
      if (answer.status === 422) refuse(answer.data);
      return answer.status === 200 ? answer.data : failWith('ingest', answer);
    },
    async state(session_id) {
      const answer = await getState({ session_id }, withKey);
      return answer.status === 200 ? answer.data : failWith('state', answer);
    },
    async sessions(filter) {
      const answer = await listSessions(filter, withKey);
      return answer.status === 200 ? answer.data : failWith('sessions', answer);
    },
    async history(session_id, minutes) {
      const answer = await getHistory({ session_id, minutes }, withKey);
      return answer.status === 200 ? answer.data : failWith('history', answer);
    },
    async triggers(subject_id) {
      const answer = await getTriggers({ subject_id }, withKey);
      return answer.status === 200 ? answer.data : failWith('triggers', answer);
    },
    async ingestBatch(readings) {
      // This generator sets no media type where the contract has two. The service finds it.
      const answer = await ingestBatch(readings, withKey);
      return answer.status === 200 ? answer.data : failWith('batch', answer);
    },
    async *exportReadings({ sessionId: session_id }) {
      const answer = await exportReadings({ session_id }, withKey);
      yield* readRows(
        answer.status === 200 && 'stream' in answer ? await answer.stream.text() : failWith('export', answer),
      );
    },
    webhooks: {
      async register(body) {
        const answer = await registerWebhook(body, withKey);
        return answer.status === 201 ? answer.data : failWith('register', answer);
      },
      async remove(id) {
        const answer = await removeWebhook(id, withKey);
        if (answer.status !== 204) failWith('remove', answer);
      },
    },
  };
}
