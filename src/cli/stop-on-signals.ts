/** Aborts on Ctrl-C, on SIGTERM, or when standard output is closed (`npm run demo | head`), so that cleanup runs. */
export function stopOnSignals(): AbortSignal {
  const stopping = new AbortController();
  const stop = (exitCode: number) => {
    process.exitCode = exitCode;
    stopping.abort();
  };
  process.once('SIGINT', () => stop(130));
  process.once('SIGTERM', () => stop(143));
  process.stdout.on('error', () => stop(0));
  return stopping.signal;
}
