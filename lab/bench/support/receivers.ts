import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { openReceiver, type Received } from '../../../testkit/open-receiver.js';

export interface Receivers {
  /** One URL per receiver. A receiver is a host and port. */
  readonly urls: readonly string[];
  /** Number of attempts per delivery, by webhook-id. */
  readonly attempts: ReadonlyMap<string, number>;
  /** Returns the number of attempts that arrived while another attempt of the same delivery was in progress. */
  overlaps(): number;
  /** Returns the largest number of deliveries that were in progress at the same time. */
  inProgressMax(): number;
  /** Returns the number of attempts that have been in progress for longer than `ms`. */
  openLongerThan(ms: number): number;
  /** Resolves when this many deliveries have arrived. Rejects when no delivery arrives for a long time. */
  until(deliveries: number): Promise<void>;
  close(): void;
}

export interface ReceiverOptions {
  readonly hosts: number;
  readonly portsPerHost?: number;
  /** The start of their addresses. */
  readonly subnet?: string;
  /** Response time, ms. Infinity: no response. The default is long enough to detect an overlapping second attempt. */
  readonly answerAfterMs?: number;
  readonly onDelivery?: () => void;
}

const silenceMs = 60_000;
const lookMs = 20;

/** Starts receivers on loopback addresses. They accept every delivery, or never respond. */
export async function startReceivers(options: ReceiverOptions): Promise<Receivers> {
  const { hosts, portsPerHost = 1, subnet = '127.0.0', answerAfterMs = 5, onDelivery } = options;
  const attempts = new Map<string, number>();
  const inFlight = new Map<string, number>();
  const openedAt = new Map<ServerResponse, number>();
  let [overlaps, inProgressMax, lastMs] = [0, 0, Date.now()];
  const add = (counts: Map<string, number>, id: string, more: 1 | -1) => {
    const sum = (counts.get(id) ?? 0) + more;
    if (sum > 0) counts.set(id, sum);
    else counts.delete(id);
  };
  const take = ({ id }: Received, response: ServerResponse) => {
    if (inFlight.has(id)) overlaps += 1;
    if (!attempts.has(id)) onDelivery?.();
    add(inFlight, id, 1);
    add(attempts, id, 1);
    inProgressMax = Math.max(inProgressMax, inFlight.size);
    lastMs = Date.now();
    openedAt.set(response, performance.now());
    response.once('close', () => {
      openedAt.delete(response);
      add(inFlight, id, -1);
    });
    if (answerAfterMs < Infinity) setTimeout(() => response.writeHead(204).end(), answerAfterMs);
  };
  const receivers = await Promise.all(
    Array.from({ length: hosts * portsPerHost }, (_, index) =>
      openReceiver(take, `${subnet}.${1 + Math.floor(index / portsPerHost)}`),
    ),
  );
  return {
    urls: receivers.map(({ url }) => url),
    attempts,
    overlaps: () => overlaps,
    inProgressMax: () => inProgressMax,
    openLongerThan: (ms) => [...openedAt.values()].filter((at) => performance.now() - at > ms).length,
    async until(deliveries) {
      for (; attempts.size < deliveries; await sleep(lookMs))
        if (Date.now() > lastMs + silenceMs)
          throw new Error(`only ${attempts.size} of ${deliveries} deliveries arrived`);
    },
    close: () => receivers.forEach((it) => it.close()),
  };
}
