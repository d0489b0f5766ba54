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
import { createSend } from '../terminal/client.js';

/** A service in this process, with a temporary database and a manual clock. */
export interface EvaluatedService {
  /** Returns the time of the service's clock, epoch ms. */
  now(): number;
  advance(seconds: number): void;
  /** Sends a reading over HTTP. Rejects if the service rejects the reading. */
  send(submission: Submission): Promise<StateReading>;
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

/** Starts a service without limits. Its clock starts on 5 January 2026 at 09:00 UTC. */
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
  const config = readConfig({ PORT: '0', ...database, ...unlimited, LOG_LEVEL: 'silent' });
  let nowMs = Date.UTC(2026, 0, 5, 9);
  const now = () => nowMs;
  const service = await startService({ config, root, startCore, log: pino({ level: config.logLevel }), now });
  const tables = openDatabase(config.database);
  const stop = new AbortController();
  // Creates a new key, because the development key may expire during a long recording.
  const { key } = await createKey(keyTable(tables), { account: 'evaluation', tier: 'enterprise' }, nowMs);
  const post = createSend({ url: service.url, key, signal: signal ?? stop.signal });
  return {
    now,
    advance(seconds) {
      nowMs += seconds * 1000;
    },
    async send(submission) {
      const answer = await post(submission);
      if (answer.kind === 'state') return answer.reading;
      throw new Error(`the service rejected ${JSON.stringify(submission)}: ${answer.status} ${answer.detail}`);
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
