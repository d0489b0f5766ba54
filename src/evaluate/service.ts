import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createKey } from '../accounts/manage.js';
import { startService } from '../compose.js';
import { readConfig } from '../config/config.js';
import { startCore } from '../core/core.js';
import type { StateReading, Submission } from '../contract.js';
import { openDatabase } from '../store/database.js';
import { keyTable } from '../store/keys.js';
import { type Answer, createSend, createSendBatch } from '../terminal/client.js';

/** A service in this process, with a temporary database and a manual clock. */
export interface EvaluatedService {
  /** Returns the time of the service's clock, epoch ms. */
  now(): number;
  advance(seconds: number): void;
  /** Sends a reading over HTTP. Rejects if the service rejects the reading. */
  send(submission: Submission): Promise<StateReading>;
  /** Sends at most 1,000 readings in one batch. Rejects if the service rejects one of them. */
  sendBatch(submissions: readonly Submission[]): Promise<StateReading[]>;
  /** Deletes all baselines directly in the database. */
  eraseBaselines(): Promise<void>;
  close(): Promise<void>;
}

export interface ServiceOptions {
  /** The root folder of the project or of the installed package. */
  readonly root: URL;
  /** Aborts requests in progress. */
  readonly signal?: AbortSignal;
}

/** Starts a service without limits, which stores readings for ten years. Its clock starts on 5 January 2026 at 09:00 UTC. */
export async function startEvaluatedService(options: ServiceOptions): Promise<EvaluatedService> {
  const folder = await mkdtemp(join(tmpdir(), 'state-evaluation-'));
  try {
    return await start(folder, options);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function start(folder: string, { root, signal }: ServiceOptions): Promise<EvaluatedService> {
  // Disables limits, because recordings are replayed much faster than real time.
  const unlimited = { LIMIT_SESSION_REQUESTS_PER_MINUTE: '0', LIMIT_NEW_SESSIONS_PER_MINUTE: '0' };
  const database = { DATABASE_URL: `sqlite:${join(folder, 'state.db')}` };
  const retention = { RETENTION_READINGS_HOURS: '87600' };
  const config = readConfig({ PORT: '0', ...database, ...unlimited, ...retention, LOG_LEVEL: 'silent' });
  let nowMs = Date.UTC(2026, 0, 5, 9);
  const now = () => nowMs;
  const service = await startService({ config, root, startCore, log: pino({ level: config.logLevel }), now });
  const tables = openDatabase(config.database);
  const stop = new AbortController();
  // Creates a new key, because the development key may expire during a long recording.
  const { key } = await createKey(keyTable(tables), { account: 'evaluation', tier: 'enterprise' }, nowMs);
  const address = { url: service.url, key, signal: signal ?? stop.signal };
  const [post, postBatch] = [createSend(address), createSendBatch(address)];
  return {
    now,
    advance(seconds) {
      nowMs += seconds * 1000;
    },
    async send(submission) {
      return requireReading(await post(submission), submission);
    },
    async sendBatch(submissions) {
      const answers = await postBatch(submissions);
      return answers.map((answer, index) => requireReading(answer, submissions[index]));
    },
    async eraseBaselines() {
      await tables('subjects').delete();
    },
    async close() {
      stop.abort();
      await tables.destroy();
      await service.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function requireReading(answer: Answer, submission: Submission | undefined): StateReading {
  if (answer.kind === 'state') return answer.reading;
  throw new Error(`the service rejected ${JSON.stringify(submission)}: ${answer.status} ${answer.detail}`);
}
