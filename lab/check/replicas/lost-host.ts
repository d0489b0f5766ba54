import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { type Scene, scenes } from '../../../packages/tools/terminal/scenes.js';
import { readConfig } from '../../../src/config/config.js';
import { openDatabase } from '../../../src/store/database.js';
import { openProxy } from '../../../testkit/open-proxy.js';
import type { ServiceProgram } from '../../../testkit/program.js';
import { ample } from '../../bench/support/service.js';
import { type Load, startLoad, steady, trySend } from '../shared/load.js';
import { countLost } from '../shared/verdict.js';
import { type Stage, withServices } from './stage.js';

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
/** Maximum number of times that a host is stopped until it holds the lock of the account. */
const triesMax = 40;
const untilLockedMs = 300;
/** Time limit, ms. A lost lock blocks the other process for hours. */
const limitMs = 60_000;

interface LossControl {
  stop(): void;
  resume(): void;
  /** Continues a frozen process, so that it can be stopped. Called after the measurement. */
  end(): void;
}

/** Stops one of two processes while it holds the lock of the account. Measures when the other process continues. */
export async function loseHost(stage: Stage, loss: Loss): Promise<LostHost> {
  const { hostname, port, pathname, username, password } = new URL(stage.databaseUrl);
  const proxy = await openProxy(hostname, Number(port || 3306));
  const credentials = password ? `${username}:${password}` : username;
  const databaseUrl = `mysql://${credentials}@127.0.0.1:${proxy.port}${pathname}`;
  const knex = openDatabase(readConfig({ DATABASE_URL: stage.databaseUrl }).database, 'administration');
  try {
    return await withServices(stage, ample, 1, ([other]) =>
      withServices({ ...stage, databaseUrl }, ample, 1, async ([lost]) => {
        if (!other || !lost) throw new Error('a service did not start');
        const names = Array.from({ length: senders }, (_, index) => `${loss}-${index}`);
        const sending = names.map((name) => steady(name, scenes[0] as Scene, Math.random));
        const load = startLoad({ urls: () => [lost.url], key: stage.key, senders: sending, random: Math.random });
        const control = controlOf(loss, lost, proxy);
        await stopUnderLock(control, knex, load);
        if (loss === 'vanished') lost.signal('SIGKILL');
        const seconds = await measurePause(other.url, stage.key);
        control.end();
        const { acknowledged, sent } = await load.stop();
        return { loss, seconds, acknowledged, lost: await countLost(other.url, stage.key, sent) };
      }),
    );
  } finally {
    proxy.close();
    await knex.destroy();
  }
}

function controlOf(loss: Loss, { signal }: ServiceProgram, proxy: Awaited<ReturnType<typeof openProxy>>): LossControl {
  const thaw = () => signal('SIGCONT');
  if (loss === 'frozen') return { stop: () => signal('SIGSTOP'), resume: thaw, end: thaw };
  return { stop: proxy.hang, resume: proxy.restore, end() {} };
}

/** Stops the host at random times until it holds a lock. */
async function stopUnderLock({ stop, resume }: LossControl, knex: Knex, load: Load): Promise<void> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    await load.acknowledges(senders);
    await sleep(20 * Math.random());
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
