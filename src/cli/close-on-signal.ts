import type { Closable } from '../closing.js';

const forcedExitMs = 9_500;

/** On SIGTERM or SIGINT, the last one last; ends the process in any case: what has not finished by then was never acknowledged. */
export function closeOnSignal(running: Closable, last?: Closable): void {
  const stop = async () => {
    setTimeout(() => process.exit(1), forcedExitMs).unref();
    await running.close();
    await last?.close();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop());
}
