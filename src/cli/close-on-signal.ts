import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { LogOutput } from '../observe/log.js';
import type { Closable } from '../observe/start.js';

const signals = ['SIGTERM', 'SIGINT'] as const;
/** Maximum time of the close in ms. */
const forcedExitMs = 9_500;
/**
 * A second signal within this time in ms, may be a copy: npm forwards the signal that the terminal sends to the process
 * group.
 */
const sameSignalMs = 1_000;
const parentCheckMs = 500;

export interface Stoppable {
  /** `leave` makes the readiness check fail. */
  readonly running: Closable & { leave?(): void };
  /** Time between `leave` and the close after SIGTERM, in ms. Default 0. */
  readonly delayMs?: number;
  readonly tracing: Closable | undefined;
  readonly log: Logger;
  readonly output: LogOutput;
}

/**
 * Closes the service on SIGTERM or SIGINT. SIGINT, which a terminal sends, skips the delay. The process ends
 * immediately when the close times out or a second signal
 * arrives more than a second after the first. No data is lost: unfinished requests were never acknowledged.
 */
export function closeOnSignal(parts: Stoppable): void {
  let signaledAtMs: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    if (signaledAtMs === undefined) void stop(parts, signal === 'SIGTERM' ? parts.delayMs : 0);
    else if (performance.now() - signaledAtMs > sameSignalMs) process.exit(1);
    signaledAtMs ??= performance.now();
  };
  for (const signal of signals) process.on(signal, onSignal);
}

/**
 * Sends SIGTERM to this process when its parent has ended. Does nothing unless npm started the process: npm starts a
 * shell that starts the process, and on SIGTERM npm ends only the shell.
 */
export function closeWithNpm(env: Readonly<Record<string, string | undefined>>): void {
  if (env['npm_lifecycle_event'] === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, parentCheckMs);
  timer.unref();
  // The process is closing already. A late second signal would end it before it has closed.
  for (const signal of signals) process.once(signal, () => clearInterval(timer));
}

async function stop({ running, tracing, log, output }: Stoppable, delayMs = 0): Promise<void> {
  setTimeout(() => process.exit(1), delayMs + forcedExitMs).unref();
  if (delayMs > 0) {
    running.leave?.();
    log.info({ delay_s: delayMs / 1000 }, 'stopping: the readiness check fails, requests are still served');
    await sleep(delayMs);
  }
  await running.close();
  await tracing?.close();
  log.info({ uptime_s: Math.round(process.uptime()) }, 'stopped');
  // Ends the process even if the reader of the log has stalled.
  if (!(await output.close())) process.exit();
}
