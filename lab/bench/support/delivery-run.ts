import { startFleet } from '../../../testkit/fleet.js';
import { createKeyOf } from '../../../testkit/program.js';
import { startProgress, withProgress } from '../../../packages/tools/terminal/progress.js';
import { secretsKey, settingsOf } from '../../check/shared/processes.js';
import { watchQueue } from '../../check/shared/queue.js';
import { withStore } from './databases.js';
import { batchesOf, fillOutbox } from './outbox.js';
import { startReceivers } from './receivers.js';

const settleMs = 60_000;

export interface DeliveryLoad {
  /** Number of deliveries, rounded up to whole events. */
  readonly deliveries: number;
  /** Number of receivers. Each gets every event. */
  readonly receivers: number;
  /** Number of worker processes. */
  readonly workers: number;
  /** Response time of the receivers, ms. */
  readonly answerAfterMs?: number;
}

export interface DeliveryFigures {
  readonly deliveries: number;
  readonly attempts: number;
  /** Number of attempts that arrived while another attempt of the same delivery was in progress. */
  readonly overlaps: number;
  readonly seconds: number;
  /** Deliveries per second of the whole run. */
  readonly perSecond: number;
  /** Deliveries per second of the second half, when the workers have adapted to the receivers. */
  readonly perSecondLater: number;
  /** Largest number of attempts in progress at all receivers. */
  readonly inProgressMax: number;
}

/** Fills the outbox of an empty database, starts the workers, and resolves when every delivery is settled. */
export async function runDeliveries(url: string, load: DeliveryLoad): Promise<DeliveryFigures> {
  const events = Math.ceil(load.deliveries / load.receivers);
  const count = events * load.receivers;
  const progress = startProgress(process.stderr, count, 'deliveries');
  const arrivedAtMs: number[] = [];
  const receivers = await startReceivers({
    hosts: load.receivers,
    ...(load.answerAfterMs !== undefined && { answerAfterMs: load.answerAfterMs }),
    onDelivery() {
      arrivedAtMs.push(performance.now());
      progress.advance();
    },
  });
  const queue = watchQueue(url);
  await fill(url, events, receivers.urls);
  const startedAtMs = performance.now();
  const worker = { name: 'worker', args: ['deliver'], env: settingsOf(url) };
  const fleet = startFleet(Array.from({ length: load.workers }, () => worker));
  try {
    await receivers.until(count);
    const [middleMs = 0, endMs = 0] = [arrivedAtMs[Math.floor(count / 2)], arrivedAtMs.at(-1)];
    const seconds = (endMs - startedAtMs) / 1000;
    await queue.empty(settleMs);
    return {
      deliveries: receivers.attempts.size,
      attempts: [...receivers.attempts.values()].reduce((sum, times) => sum + times, 0),
      overlaps: receivers.overlaps(),
      seconds,
      perSecond: count / seconds,
      perSecondLater: (count / 2 / (endMs - middleMs)) * 1000,
      inProgressMax: receivers.inProgressMax(),
    };
  } finally {
    progress.stop();
    await fleet.close();
    await queue.close();
    receivers.close();
  }
}

async function fill(url: string, events: number, receivers: readonly string[]): Promise<void> {
  await createKeyOf(url, 'bench');
  await withStore(url, (store) =>
    withProgress(batchesOf(events), 'batches of events', ({ advance }) =>
      fillOutbox(store, { events, receivers, secretsKey, onBatch: advance }),
    ),
  );
}
