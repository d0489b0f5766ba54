import { sources } from '../../../generated/spec.js';
import { ask } from '../../check/shared/client.js';

/** A request of 31 MB that takes seconds to parse. */
export const largeBody = Buffer.from(
  `{"messages":[{"role":"user","content":"Hello."}],"x":${'['.repeat(15_500_000)}${']'.repeat(15_500_000)}}`,
);

/** Sends the large body to the gateway. Resolves with the status of the response, or with 0 if the connection breaks first. */
export function upload(gatewayUrl: string, key: string): Promise<number> {
  const headers = { 'X-State-Key': key, 'X-State-Session': 'upload' };
  return ask(`${gatewayUrl}/v1/chat/completions`, headers, { agent: false, body: largeBody });
}

/** Returns a body of Health Auto Export of nearly 20 MB: heart rates of the last two weeks, several per minute. */
export function createLargePost(): string {
  const [entryBytes, spacingMs] = [82, 5_000];
  const count = Math.floor((sources.max_bytes - 1_000) / entryBytes);
  const toDate = (ms: number) => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} +0000`;
  const data = Array.from({ length: count }, (_, index) => {
    const date = toDate(Date.now() - 400_000 - (count - index) * spacingMs);
    return { date, Min: 61, Avg: 60 + (index % 40), Max: 99, source: 'Watch' };
  });
  return JSON.stringify({ data: { metrics: [{ name: 'heart_rate', units: 'count/min', data }] } });
}

/** Returns a key with the form of a valid one. */
export function forgeKey(index: number): string {
  return `sk_${String(index).padStart(32, '0')}`;
}
