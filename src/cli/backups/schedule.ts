import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.js';
import { version } from '../../config/version.js';
import { openServerLog } from '../../observe/log.js';
import { startTimeLimit } from '../../webhooks/tasks.js';
import { closeOnSignal } from '../close-on-signal.js';
import { requireDatabase } from '../with-store.js';
import { requireFolder } from './backup.js';
import { recordErasures } from './erasures.js';
import { findNewestTime, removeUnfinished } from './folder.js';

export interface Schedule {
  readonly folder: string;
  /** Time between the starts of two backups, in ms. */
  readonly everyMs: number;
  /** The program that writes one backup, and its arguments. */
  readonly args: readonly string[];
}

/** Time between two records of the erasures, in ms. */
const recordEveryMs = 60_000;
/** How long a backup may take to end after SIGTERM, in ms. A copy of SQLite blocks its process. */
const endMs = 5_000;
const outputMax = 4_000;

/** Writes backups until SIGTERM or SIGINT. A failed backup is logged. The next one starts at its regular time. */
export async function backUpRegularly(config: Config, schedule: Schedule): Promise<void> {
  const { database } = config;
  const { folder, everyMs } = schedule;
  requireFolder(folder);
  requireDatabase(database);
  const { output, log } = openServerLog(config.logLevel);
  const stop = new AbortController();
  const running = backUpUntil(stop.signal, config, schedule, log);
  const close = async () => {
    stop.abort();
    await running;
  };
  closeOnSignal({ running: { close }, tracing: undefined, log, output });
  log.info({ version, database: database.kind }, 'started');
  console.log(`Backing up to ${folder} every ${everyMs / 60_000} minutes`);
  await running;
}

export async function backUpUntil(signal: AbortSignal, config: Config, schedule: Schedule, log: Logger): Promise<void> {
  const { folder, everyMs } = schedule;
  // A restart does not start a backup before its time.
  const ageMs = Date.now() - (findNewestTime(folder, config.database) ?? 0);
  // Monotonic, because a clock that is set back would delay the next backup.
  let dueAtMs = performance.now() + Math.min(everyMs, Math.max(0, everyMs - ageMs));
  let isFailing = false;
  while (!signal.aborted) {
    if (performance.now() >= dueAtMs) {
      dueAtMs = performance.now() + everyMs;
      await backUpOnce(schedule, log, signal);
      // Files that a killed backup left behind.
      if (existsSync(folder)) removeUnfinished(folder, config.database);
    } else {
      const error = await recordErasures(config, folder).then(() => undefined, asError);
      if (error && !isFailing) log.warn({ err: error }, 'erasures not recorded: retried every minute');
      isFailing = error !== undefined;
    }
    const waitMs = Math.min(recordEveryMs, dueAtMs - performance.now());
    await sleep(Math.max(0, waitMs), undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Writes one backup in a separate process, because a copy of SQLite blocks its process. Ends it when the next backup is
 * due, e.g. because the database does not respond. Never rejects.
 */
async function backUpOnce({ args, everyMs }: Schedule, log: Logger, signal: AbortSignal): Promise<void> {
  const startedAtMs = performance.now();
  const child = spawn(process.execPath, [...process.execArgv, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] = (printed[name] + text).slice(-outputMax);
    });
  const end = () => {
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), endMs).unref();
  };
  const limit = startTimeLimit(everyMs, signal);
  limit.signal.addEventListener('abort', end);
  const [code, ending] = await once(child, 'close').catch((error: Error) => [undefined, error.message]);
  limit.clear();
  const seconds = Math.round((performance.now() - startedAtMs) / 1000);
  if (code === 0) return log.info({ seconds, output: (printed.stdout + printed.stderr).trim() }, 'backup written');
  if (signal.aborted) return log.warn('backup stopped by the shutdown');
  const late = limit.isOver() && `it was not finished within --every (${everyMs / 60_000} minutes)`;
  const reasons = [late, printed.stderr.trim()].filter(Boolean);
  const reason = reasons.join(': ') || `it ended with ${ending ?? `exit code ${code}`}`;
  log.error({ seconds, reason }, 'backup failed: retried at the next interval');
}

const asError = (error: Error) => error;
