import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { openRedis, trackAvailability } from '../limits/availability.js';

const channel = 'state-service:stream-events';
const messages = {
  lost: 'Redis unavailable: streams get readings of other processes from the query once per second',
  restored: 'Redis available again: streams are notified of readings of other processes',
};

export type Notifications = ReturnType<typeof openNotifications>;

/**
 * Notifies the processes of a deployment of each other's commits, through publish/subscribe of Redis. During an outage,
 * no message is sent and no call fails. A lost message only delays events, because streams also query the database.
 * `onNotified` is called with the accounts whose readings another process has committed.
 */
export function openNotifications(url: string, log: Logger, onNotified: (accountIds: readonly string[]) => void) {
  const processId = randomUUID();
  const publisher = openRedis(url).on('error', () => undefined);
  const subscriber = openRedis(url);
  // Both connections fail at the same time, so only one of them is logged.
  const availability = trackAvailability(subscriber, log, messages);
  let isListening = false;
  const subscribe = () => {
    const done = isListening ? subscriber.subscribe(channel) : subscriber.unsubscribe(channel);
    done.catch((error: unknown) => {
      // Without a connection, `ready` subscribes. With a connection, Redis does not permit the subscription.
      if (subscriber.status === 'ready') availability.markLost(error);
    });
  };
  subscriber.on('ready', subscribe);
  subscriber.on('message', (_channel, message: string) => {
    const [sender, ...accountIds] = message.split(' ');
    if (sender !== processId) onNotified(accountIds);
  });
  return {
    /** Notifies the other processes of new readings of these accounts. */
    publish(accountIds: Iterable<string>): void {
      publisher.publish(channel, [processId, ...accountIds].join(' ')).catch(() => undefined);
    },
    /** Rejects if Redis is unavailable. */
    ping: (): Promise<unknown> => publisher.ping(),
    listen(isOn: boolean): void {
      isListening = isOn;
      subscribe();
    },
    async close(): Promise<void> {
      availability.end();
      publisher.disconnect();
      subscriber.disconnect();
    },
  };
}
