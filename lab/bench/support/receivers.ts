import { setTimeout as sleep } from 'node:timers/promises';
import { openReceiver } from '../../../testkit/open-receiver.js';

export interface Receivers {
  /** One URL per receiver. A receiver is a host and port. */
  readonly urls: readonly string[];
  /** Number of attempts per delivery, by webhook-id. */
  readonly attempts: ReadonlyMap<string, number>;
  /** Returns the number of attempts that arrived while another attempt of the same delivery was in progress. */
  overlaps(): number;
  /** Returns the largest number of attempts that were in progress at the same time. */
  inProgressMax(): number;
  /** Resolves when this many deliveries have arrived. Rejects when no delivery arrives for a long time. */
  until(deliveries: number): Promise<void>;
  close(): void;
}

/** Response time of a receiver by default, ms. Long enough to detect an overlapping second attempt. */
const defaultAnswerAfterMs = 5;
const silenceMs = 60_000;
const lookMs = 20;

/** Starts receivers that accept every delivery, on loopback addresses starting at 127.0.0.1. */
export async function startReceivers(
  count: number,
  answerAfterMs = defaultAnswerAfterMs,
  onDelivery: () => void = () => undefined,
): Promise<Receivers> {
  const attempts = new Map<string, number>();
  const inFlight = new Map<string, number>();
  let overlaps = 0;
  let inProgressMax = 0;
  let lastMs = Date.now();
  const add = (counts: Map<string, number>, id: string, more: 1 | -1) => {
    const sum = (counts.get(id) ?? 0) + more;
    if (sum > 0) counts.set(id, sum);
    else counts.delete(id);
  };
  const receivers = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      openReceiver(
        ({ id }, response) => {
          if (inFlight.has(id)) overlaps += 1;
          if (!attempts.has(id)) onDelivery();
          add(inFlight, id, 1);
          inProgressMax = Math.max(inProgressMax, inFlight.size);
          add(attempts, id, 1);
          lastMs = Date.now();
          setTimeout(() => {
            add(inFlight, id, -1);
            response.writeHead(204).end();
          }, answerAfterMs);
        },
        `127.0.0.${index + 1}`,
      ),
    ),
  );
  return {
    urls: receivers.map(({ url }) => url),
    attempts,
    overlaps: () => overlaps,
    inProgressMax: () => inProgressMax,
    async until(deliveries) {
      for (; attempts.size < deliveries; await sleep(lookMs))
        if (Date.now() > lastMs + silenceMs)
          throw new Error(`only ${attempts.size} of ${deliveries} deliveries arrived`);
    },
    close: () => receivers.forEach((it) => it.close()),
  };
}
