import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Time limit of each read of a scrape, ms. All reads run at the same time. Prometheus discards a scrape after 10 s, and
 * with it also the metrics that report the outage.
 */
const readMs = 2_000;
/** Time limit of a probe whose failure is a value, ms. Shorter than `readMs`, after which the value would be missing. */
export const probeMs = 1_500;

/** Resolves with the value, or rejects when `limitMs` have passed. */
export async function inTime<Value>(value: Promise<Value>, limitMs = readMs): Promise<Value> {
  const done = new AbortController();
  const late = sleep(limitMs, undefined, { ref: false, signal: done.signal }).then(() => {
    throw new Error(`no response within ${limitMs} ms`);
  });
  try {
    return await Promise.race([value, late]);
  } finally {
    done.abort();
  }
}
