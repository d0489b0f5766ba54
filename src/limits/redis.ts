import { setTimeout as sleep } from 'node:timers/promises';
import { Redis, type Result } from 'ioredis';
import type { Logger } from 'pino';
import { type Availability, trackAvailability } from './redis-availability.js';

/** A count that takes longer is made in memory. */
const responseMs = 250;
/** A connection without a response for this long is closed. */
const silenceMs = 2_000;
const backoffMs = { first: 50, max: 2_000 };
/** How long the start waits for a connection. */
const startMs = 1_000;

/** Counts a request. The window starts with its first request and expires by itself. Returns the count and the ms left. */
const countRequest = `
local count = redis.call('INCR', KEYS[1])
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return { count, redis.call('PTTL', KEYS[1]) }`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    countRequest(key: string, windowMs: number): Result<[count: number, leftMs: number], Context>;
  }
}

/** The state of a window after a request was counted. */
export interface WindowCount {
  readonly count: number;
  /** Time until the window ends. */
  readonly leftMs: number;
}

/** Counts requests of all processes together. */
export interface SharedCounter {
  /** Counts a request of a key; undefined when the counter is unavailable. Resolves within a bounded time. */
  count(key: string, windowMs: number): Promise<WindowCount | undefined>;
  /** Resolves within a bounded time with whether the counter is available. */
  isAvailable(): Promise<boolean>;
  close(): void;
}

/**
 * Connects to Redis and reconnects for ever. Logs once when an outage starts and once when it ends. During an outage
 * every count is undefined at once.
 */
export function connectRedis(url: string, log: Logger): SharedCounter {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    // An unanswered count was replaced by a count in memory; resending it would count the request twice.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: silenceMs,
    socketTimeout: silenceMs,
    retryStrategy: (times) => Math.min(backoffMs.first * 2 ** Math.min(times, 10), backoffMs.max),
  });
  redis.defineCommand('countRequest', { numberOfKeys: 1, lua: countRequest });
  const availability = trackAvailability(redis, log);
  return {
    async count(key, windowMs) {
      if (redis.status !== 'ready' || availability.isSilent) return undefined;
      const response = await within(responseMs, redis.countRequest(key, windowMs), availability);
      return response && { count: response[0], leftMs: response[1] };
    },
    async isAvailable() {
      const endsAtMs = performance.now() + startMs;
      while (redis.status !== 'ready' && !availability.isLost && performance.now() < endsAtMs) await sleep(10);
      return redis.status === 'ready';
    },
    close() {
      availability.end();
      redis.disconnect();
    },
  };
}

/** Resolves with undefined when the response fails or takes longer. A response that already arrived is read first. */
function within<T>(limitMs: number, response: Promise<T>, availability: Availability): Promise<T | undefined> {
  return new Promise((resolve) => {
    let last: NodeJS.Immediate | undefined;
    const giveUp = () => {
      availability.markSilent(new Error(`Redis did not respond within ${limitMs} ms`));
      resolve(undefined);
    };
    // After a long turn of the event loop, the timer can fire before a response that is already there.
    const timer = setTimeout(() => (last = setImmediate(giveUp)), limitMs);
    const settle = (value?: T) => {
      clearTimeout(timer);
      clearImmediate(last);
      resolve(value);
    };
    response.then(
      (value) => {
        availability.markAvailable();
        settle(value);
      },
      (error: unknown) => {
        availability.markLost(error);
        settle();
      },
    );
  });
}
