import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import Database from 'libsql';
import {
  createStateClient,
  type StateClient,
  type StateReading,
  type Submission,
  type TriggerProfile,
} from '../../../client/src/index.js';
import { setClock, startLocalService } from '../../local-service.js';

/** A service in a child process, with a temporary database and a manual clock. */
export interface EvaluatedService {
  /** Returns the time of the service's clock, epoch ms. */
  now(): number;
  advance(seconds: number): void;
  /** Sends a reading over HTTP. Rejects if the service rejects the reading. */
  send(submission: Submission): Promise<StateReading>;
  /** Sends at most 1,000 readings in one batch. Rejects if the service rejects one of them. */
  sendBatch(submissions: readonly Submission[]): Promise<StateReading[]>;
  readTriggers(subjectId: string): Promise<TriggerProfile>;
  /** The client, for other operations. */
  readonly client: Pick<StateClient, 'exportReadings' | 'putFact'>;
  /** Deletes all baselines directly in the database. */
  eraseBaselines(): Promise<void>;
}

export interface ServiceOptions {
  /** The root folder of the project or of the installed package. */
  readonly root: URL;
  /** Aborts requests in progress. */
  readonly signal?: AbortSignal;
}

/**
 * Runs work on a service without limits, which stores readings for ten years and ends with the work. Its clock starts on 5 January
 * 2026 at 09:00 UTC.
 */
export async function withEvaluatedService<T>(
  { root, signal }: ServiceOptions,
  work: (service: EvaluatedService) => Promise<T>,
): Promise<T> {
  let nowMs = Date.UTC(2026, 0, 5, 9);
  const settings = (folder: string) => ({ ...unlimited, TEST_CLOCK_FILE: setClock(folder, nowMs) });
  const service = await startLocalService({ root, name: 'evaluation', settings });
  const client = createStateClient({ baseUrl: service.url, key: service.key });
  // Each request in progress listens, and listeners stay until their request is collected.
  if (signal) setMaxListeners(0, signal);
  const call = signal && { signal };
  const evaluated: EvaluatedService = {
    client,
    now: () => nowMs,
    advance(seconds) {
      nowMs += seconds * 1000;
      setClock(service.folder, nowMs);
    },
    send: (submission) => client.ingest(submission, call),
    async sendBatch(submissions) {
      const { results } = await client.ingestBatch(submissions, call);
      return results.map(({ state, error }, index) => {
        if (state) return state;
        throw new Error(`the service rejected ${JSON.stringify(submissions[index])}: ${JSON.stringify(error)}`);
      });
    },
    readTriggers: (subjectId) => client.triggers(subjectId, call),
    async eraseBaselines() {
      const database = new Database(join(service.folder, 'state.db'), { timeout: 10_000 });
      database.exec('DELETE FROM subjects');
      database.close();
    },
  };
  return work(evaluated).finally(service.close);
}

/** Recordings are replayed much faster than real time, and may be years old. */
const unlimited = {
  RETENTION_READINGS_HOURS: '87600',
  LIMIT_SESSION_REQUESTS_PER_MINUTE: '0',
  LIMIT_NEW_SESSIONS_PER_MINUTE: '0',
  LIMIT_MONTHLY_CALLS: '0',
};
