import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { trackAvailability } from '../limits/availability.js';
import { openRedis } from '../limits/open-redis.js';

const channel = 'state-service:stream-events';
const messages = {
  lost: 'Redis unavailable: streams get readings of other processes from the query once per second',
  restored: 'Redis available again: streams are notified of readings of other processes',
};

/**
 * Notifies the processes of a deployment of each other's commits. A lost message only delays events, because streams
 * also query the database.
 */
export interface Notifications {
  /** Notifies the other processes of new readings of these accounts. */
  publish(accountIds: Iterable<string>): void;
  /** Rejects if Redis is unavailable. */
  ping(): Promise<unknown>;
  /** Starts or stops the subscription. */
  listen(isOn: boolean): void;
  close(): Promise<void>;
}

/** `onNotified` is called with the accounts whose readings another process has committed. */
export type OpenNotifications = (
  url: string,
  log: Logger,
  onNotified: (accountIds: readonly string[]) => void,
) => Notifications;

/** Opens notifications through publish/subscribe of Redis. During an outage, no message is sent and no call fails. */
export const openNotifications: OpenNotifications = (url, log, onNotified) => {
  const processId = randomUUID();
  const publisher = openRedis(url).on('error', () => undefined);
  const subscriber = openRedis(url);
  // Both connections fail at the same time, so only one of them is logged.
  const availability = trackAvailability(subscriber, log, messages);
  let isListening = false;
  const subscribe = () => {
    const done = isListening ? subscriber.subscribe(channel) : subscriber.unsubscribe(channel);
    // Without a connection, `ready` subscribes.
    done.catch(() => undefined);
  };
  subscriber.on('ready', subscribe);
  subscriber.on('message', (_channel, message: string) => {
    const [sender, ...accountIds] = message.split(' ');
    if (sender !== processId) onNotified(accountIds);
  });
  return {
    publish(accountIds) {
      publisher.publish(channel, [processId, ...accountIds].join(' ')).catch(() => undefined);
    },
    ping: () => publisher.ping(),
    listen(isOn) {
      isListening = isOn;
      subscribe();
    },
    async close() {
      availability.end();
      publisher.disconnect();
      subscriber.disconnect();
    },
  };
};
