import type { Logger } from 'pino';

const quietMs = 10_000;

/**
 * Returns a function that logs an event which clients can trigger at will. It logs at most one line per 10 s, with the
 * number of connections.
 */
export function warnSparingly(log: Logger, message: string): () => void {
  let connections = 0;
  let quietUntilMs = 0;
  return () => {
    connections += 1;
    const nowMs = performance.now();
    if (nowMs < quietUntilMs) return;
    log.warn({ connections }, message);
    connections = 0;
    quietUntilMs = nowMs + quietMs;
  };
}
