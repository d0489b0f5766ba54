import { Redis } from 'ioredis';
import type { Logger } from 'pino';

/** Time without a response after which a connection is closed, in ms. */
const silenceMs = 2_000;
const backoffMs = { first: 50, max: 2_000 };

/** Opens a connection that reconnects without limit. While Redis is unavailable, every command rejects immediately. */
export function openRedis(url: string): Redis {
  return new Redis(url, {
    enableOfflineQueue: false,
    // The caller has already continued without the response.
    autoResendUnfulfilledCommands: false,
    // The library does not catch the errors of its own subscriptions, and one of them would end the process.
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    connectTimeout: silenceMs,
    socketTimeout: silenceMs,
    retryStrategy: (times) => Math.min(backoffMs.first * 2 ** Math.min(times, 10), backoffMs.max),
  });
}

export type AvailabilityTracker = ReturnType<typeof trackAvailability>;

/** Tracks whether Redis is available, by its connection and its responses. Logs each state transition once. */
export function trackAvailability(
  redis: Redis,
  log: Logger,
  messages: { readonly lost: string; readonly restored: string },
) {
  let [isLost, isSilent, isEnded] = [false, false, false];
  const markLost = (error?: unknown) => {
    if (!isLost && !isEnded) log.warn({ err: error }, messages.lost);
    isLost = true;
  };
  const markAvailable = () => {
    if (isLost) log.info(messages.restored);
    isLost = false;
  };
  redis.on('error', markLost).on('close', markLost).on('ready', markAvailable);
  return {
    /** True from the first error until the next response. */
    isLost: () => isLost,
    /** True from a missing response until Redis responds or the connection ends. */
    isSilent: () => isSilent,
    markAvailable,
    markLost,
    /** Marks Redis as unavailable until it responds to a ping. */
    markSilent(error: Error) {
      if (isSilent) return;
      isSilent = true;
      markLost(error);
      void redis
        .ping()
        .then(markAvailable, markLost)
        .finally(() => (isSilent = false));
    },
    /** Stops logging, because the service closes the connection. */
    end() {
      isEnded = true;
    },
  };
}
