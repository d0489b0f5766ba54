import type { StateReading } from '../../../src/contract/contract.js';
import type { NamedSubmission as Submission } from '../../../src/readings/device.js';
import type { Reads } from './verdict.js';

const responseMs = 10_000;
/** Share of the readings after which the state is read. */
const share = 0.2;

/** Reads states right after readings were acknowledged, through random processes. */
export function createReader(urls: readonly string[], key: string, random: () => number) {
  let [sent, answered, stale] = [0, 0, 0];
  const running = new Set<Promise<void>>();
  const read = async ({ session_id, timestamp }: Submission): Promise<void> => {
    sent += 1;
    const url = `${urls[Math.floor(random() * urls.length)]}/v1/state?session_id=${session_id}`;
    const signal = AbortSignal.timeout(responseMs);
    const response = await fetch(url, { headers: { 'X-Service-Key': key }, signal });
    // A session exists as soon as its first reading is acknowledged, so 404 is a stale response.
    const state = response.status === 404 ? undefined : ((await response.json()) as StateReading);
    if (!response.ok && response.status !== 404) return;
    answered += 1;
    if (state === undefined || state.timestamp < timestamp) stale += 1;
  };
  return {
    /** Starts a request after some of the readings. A request without a response counts as sent only. */
    check(reading: Submission): void {
      if (random() > share) return;
      const one = read(reading)
        .catch(() => undefined)
        .finally(() => running.delete(one));
      running.add(one);
    },
    /** Resolves when all requests have ended. */
    async stop(): Promise<Reads> {
      await Promise.all(running);
      return { sent, answered, stale };
    },
  };
}
