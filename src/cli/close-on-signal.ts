import type { Logger } from 'pino';
import type { Closable } from '../lifecycle/closing.js';
import type { LogOutput } from '../log/log-output.js';

const forcedExitMs = 9_500;
/**
 * A second signal within this time may be a copy: npm forwards the signal that the terminal sends to the process group.
 */
const sameSignalMs = 1_000;

export interface Stoppable {
  readonly running: Closable;
  readonly tracing: Closable | undefined;
  readonly log: Logger;
  readonly output: LogOutput;
}

/**
 * Closes on SIGTERM or SIGINT. A second signal after more than a second ends the process immediately, and so does a
 * timeout of the close. No data is lost, because unfinished requests were never acknowledged.
 */
export function closeOnSignal(parts: Stoppable): void {
  let signaledAtMs: number | undefined;
  const onSignal = () => {
    if (signaledAtMs === undefined) void stop(parts);
    else if (performance.now() - signaledAtMs > sameSignalMs) process.exit(1);
    signaledAtMs ??= performance.now();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, onSignal);
}

async function stop({ running, tracing, log, output }: Stoppable): Promise<void> {
  setTimeout(() => process.exit(1), forcedExitMs).unref();
  await running.close();
  await tracing?.close();
  log.info({ uptime_s: Math.round(process.uptime()) }, 'stopped');
  // A stalled reader of the log must not keep the process alive.
  if (!(await output.close())) process.exit();
}
