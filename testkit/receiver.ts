import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { openReceiver, type Received } from './open-receiver.js';

export type { Received };

/**
 * Responds to a delivery. `count` is the number of times that this delivery has arrived so far, including this time.
 */
export type Answering = (received: Received, response: ServerResponse, count: number) => void;

export interface Receiver {
  readonly url: string;
  /** All deliveries, in order of arrival. */
  readonly received: readonly Received[];
  /** Sets the response to later deliveries. Initially, the response is 204. */
  answer(answering: Answering | number): void;
  /** Resolves once `count` deliveries have arrived. */
  until(count: number): Promise<readonly Received[]>;
}

const withStatus =
  (status: number): Answering =>
  (_, response) =>
    void response.writeHead(status).end();

/** Starts a real receiver on a free loopback port. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const arrivals = new EventEmitter();
  let answering = withStatus(204);
  const { url, close } = await openReceiver((one, response) => {
    received.push(one);
    arrivals.emit('delivery');
    answering(one, response, received.filter(({ id }) => id === one.id).length);
  });
  onTestFinished(close);
  return {
    url,
    received,
    answer: (next) => void (answering = typeof next === 'number' ? withStatus(next) : next),
    async until(count) {
      while (received.length < count) await once(arrivals, 'delivery');
      return received;
    },
  };
}
