import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { openProxy } from '../../../contract-tests/support/open-proxy.js';
import { readConfig } from '../../../src/config/config.js';
import { openDatabase } from '../../../src/store/database.js';
import { ample, type BenchedService } from '../../bench/support/service.js';
import { trySend } from '../webhooks/load.js';
import { type Stage, startServices } from './stage.js';

/** Ways in which a host stops in the middle of a transaction. */
export const losses = {
  frozen: 'frozen (SIGSTOP)',
  vanished: 'vanished (packets dropped, then killed)',
} as const;
export type Loss = keyof typeof losses;

export interface LostHost {
  readonly loss: Loss;
  /** Time until the other process acknowledged a reading of the account, s. Undefined if it acknowledged none. */
  readonly seconds: number | undefined;
  readonly acknowledged: number;
  /** Number of acknowledged readings that are not stored. */
  readonly lost: number;
}

const senders = 16;
/** How often a host is stopped until it holds the lock of the account. */
const triesMax = 40;
const untilLockedMs = 300;
/** Time limit, ms. A lost lock blocks the other process for hours. */
const limitMs = 60_000;

interface LossControl {
  stop(): void;
  resume(): void;
  /** Ends what `stop` began, after the measurement. */
  end(): void;
}

/** Stops one of two processes while it holds the lock of the account. Measures when the other process continues. */
export async function loseHost(stage: Stage, loss: Loss): Promise<LostHost> {
  const { hostname, port, pathname, username, password } = new URL(stage.databaseUrl);
  const proxy = await openProxy(hostname, Number(port || 3306));
  const credentials = password ? `${username}:${password}` : username;
  const databaseUrl = `mysql://${credentials}@127.0.0.1:${proxy.port}${pathname}`;
  const knex = openDatabase(readConfig({ DATABASE_URL: stage.databaseUrl }).database, 'administration');
  const services: BenchedService[] = [];
  try {
    services.push(
      ...(await startServices(stage, ample, 1)),
      ...(await startServices({ ...stage, databaseUrl }, ample, 1)),
    );
    const [other, lost] = services as [BenchedService, BenchedService];
    const load = startLoad(lost.url, stage.key, loss);
    const control = controlOf(loss, lost, proxy);
    await stopUnderLock(control, knex, load);
    if (loss === 'vanished') process.kill(lost.pid, 'SIGKILL');
    const seconds = await measurePause(other.url, stage.key);
    control.end();
    return { loss, seconds, ...(await load.verify(knex)) };
  } finally {
    for (const service of services) await service.close();
    proxy.close();
    await knex.destroy();
  }
}

function controlOf(loss: Loss, { pid }: BenchedService, proxy: Awaited<ReturnType<typeof openProxy>>): LossControl {
  const thaw = () => void process.kill(pid, 'SIGCONT');
  if (loss === 'frozen') return { stop: () => void process.kill(pid, 'SIGSTOP'), resume: thaw, end: thaw };
  return { stop: proxy.hang, resume: proxy.restore, end() {} };
}

/** Stops the host at random times until it holds a lock. */
async function stopUnderLock({ stop, resume }: LossControl, knex: Knex, load: Load): Promise<void> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    await load.progress();
    stop();
    // The server completes the statements that it has received.
    await sleep(untilLockedMs);
    if (await isLocked(knex)) return;
    resume();
  }
  throw new Error(`the host held no lock at ${triesMax} random times`);
}

/** Returns true if another transaction has locked the stream position of an account. */
async function isLocked(knex: Knex): Promise<boolean> {
  try {
    await knex('stream_positions').select('account_id').forUpdate().noWait();
    return false;
  } catch (error) {
    if (['ER_LOCK_NOWAIT', 'ER_LOCK_WAIT_TIMEOUT'].includes((error as { code: string }).code)) return true;
    throw error;
  }
}

/** Returns the time until a reading was acknowledged, s. Undefined after the time limit. */
async function measurePause(url: string, key: string): Promise<number | undefined> {
  const startedAtMs = performance.now();
  while (performance.now() < startedAtMs + limitMs) {
    const reading = { session_id: 'after-loss', timestamp: new Date().toISOString(), heart_rate: 70 };
    const answer = await trySend(`${url}/v1/ingest`, key, JSON.stringify(reading));
    if (typeof answer !== 'string') return (performance.now() - startedAtMs) / 1000;
    await sleep(100);
  }
  return undefined;
}

interface Load {
  /** Resolves after further acknowledged readings. */
  progress(): Promise<void>;
  /** Ends the load and compares the acknowledged readings with the stored ones. */
  verify(knex: Knex): Promise<{ readonly acknowledged: number; readonly lost: number }>;
}

function startLoad(url: string, key: string, name: string): Load {
  const acknowledged: string[] = [];
  let isStopped = false;
  const run = async (sender: number) => {
    for (let lastMs = 0; !isStopped;) {
      lastMs = Math.max(Date.now(), lastMs + 1);
      const reading = { session_id: `${name}-${sender}`, timestamp: new Date(lastMs).toISOString(), heart_rate: 70 };
      const answer = await trySend(`${url}/v1/ingest`, key, JSON.stringify(reading));
      if (typeof answer !== 'string') acknowledged.push(`${reading.session_id} ${lastMs}`);
      else await sleep(100);
    }
  };
  const running = Promise.all(Array.from({ length: senders }, (_, sender) => run(sender)));
  return {
    async progress() {
      const { length } = acknowledged;
      const endsAtMs = performance.now() + limitMs;
      while (acknowledged.length < length + senders) {
        if (performance.now() > endsAtMs) throw new Error('no reading was acknowledged before the loss');
        await sleep(1 + Math.random() * 20);
      }
    },
    async verify(knex) {
      isStopped = true;
      await running;
      const rows = await knex('readings').select('session_id', 'timestamp_ms').where('session_id', 'like', `${name}-%`);
      const stored = new Set(rows.map(({ session_id, timestamp_ms }) => `${session_id} ${timestamp_ms}`));
      return { acknowledged: acknowledged.length, lost: acknowledged.filter((it) => !stored.has(it)).length };
    },
  };
}
