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
      return takeData('ingest', answer, 200);
    },
    state: async (session_id) => takeData('state', await getState({ session_id }, withKey), 200),
    sessions: async (filter) => takeData('sessions', await listSessions(filter, withKey), 200),
    history: async (session_id, minutes) =>
      takeData('history', await getHistory({ session_id, minutes }, withKey), 200),
    triggers: async (subject_id) => takeData('triggers', await getTriggers({ subject_id }, withKey), 200),
    // This generator sets no media type where the contract has two. The service finds it.
    ingestBatch: async (readings) => takeData('batch', await ingestBatch(readings, withKey), 200),
    async *exportReadings({ sessionId: session_id }) {
      const answer = await exportReadings({ session_id }, withKey);
      yield* readRows(
        answer.status === 200 && 'stream' in answer ? await answer.stream.text() : failWith('export', answer),
      );
    },
    webhooks: {
      register: async (body) => takeData('register', await registerWebhook(body, withKey), 201),
      async remove(id) {
        takeData('remove', await removeWebhook(id, withKey), 204);
      },
    },
  };
}

/** Returns the data of an answer with this status. Its type follows from the status. */
function takeData<Answer extends { status: number; data: unknown }, Status extends Answer['status']>(
  call: string,
  answer: Answer,
  status: Status,
): Extract<Answer, { status: Status }>['data'] {
  return answer.status === status ? answer.data : failWith(call, answer);
}
