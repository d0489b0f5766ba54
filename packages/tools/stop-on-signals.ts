import { unwritable } from './terminal/save.js';

/**
 * Aborts on Ctrl-C, on SIGTERM, or when standard output is closed (`state-service tools demo | head`), so that cleanup runs. Sets
 * the exit code. The exit code is 0 if the reader of standard output has ended, because a reader may end early.
 * `interruptCode` is the exit code of Ctrl-C.
 */
export function stopOnSignals(interruptCode = 130): AbortSignal {
  const stopping = new AbortController();
  const stop = (exitCode: number) => {
    process.exitCode = exitCode;
    stopping.abort();
  };
  process.once('SIGINT', () => stop(interruptCode));
  process.once('SIGTERM', () => stop(143));
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (stopping.signal.aborted) return;
    if (error.code === 'EPIPE') return stop(0);
    console.error(`error: ${unwritable('to', 'standard output', error).message}`);
    stop(1);
  });
  return stopping.signal;
}

/** Runs work until a signal, after which the exit code is set and the error of the aborted work needs no message. */
export async function untilSignal(work: (signal: AbortSignal) => Promise<void>, interruptCode?: number): Promise<void> {
  const signal = stopOnSignals(interruptCode);
  try {
    await work(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
