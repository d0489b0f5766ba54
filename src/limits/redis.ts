import { setTimeout as sleep } from 'node:timers/promises';
import type { Result } from 'ioredis';
import type { Logger } from 'pino';
import { type AvailabilityTracker, openRedis, trackAvailability } from './availability.js';

/** Time limit of a count in ms. After this time, the request is counted in memory. */
const responseMs = 250;
const startMs = 1_000;
const messages = {
  lost: 'Redis unavailable: each process counts requests separately',
  restored: 'Redis available again: all processes count requests together',
};

/**
 * Counts requests. The window starts with its first request and expires in Redis. Returns the count and the ms left.
 */
const countRequests = `
local count = redis.call('INCRBY', KEYS[1], ARGV[2])
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return { count, redis.call('PTTL', KEYS[1]) }`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    countRequests(key: string, windowMs: number, requests: number): Result<[count: number, leftMs: number], Context>;
  }
}

/** The state of a window after a request was counted. */
export interface WindowCount {
  readonly count: number;
  /** Time until the window ends in ms. */
  readonly leftMs: number;
}

/** A counter that all processes share. */
export type SharedCounter = ReturnType<typeof connectRedis>;

/**
 * Connects to Redis. Logs the start and the end of each outage once. During an outage every count resolves with undefined
 * immediately. A count without a response is never resent, because it would count the request twice.
 */
export function connectRedis(url: string, log: Logger) {
  const redis = openRedis(url);
  redis.defineCommand('countRequests', { numberOfKeys: 1, lua: countRequests });
  const availability = trackAvailability(redis, log, messages);
  return {
    /** Counts requests of a key. Undefined when the counter is unavailable. Resolves within a bounded time. */
    async count(key: string, windowMs: number, requests = 1): Promise<WindowCount | undefined> {
      if (redis.status !== 'ready' || availability.isSilent()) return undefined;
      const response = await within(responseMs, redis.countRequests(key, windowMs, requests), availability);
      return response && { count: response[0], leftMs: response[1] };
    },
    /** Resolves with whether the counter is available, within a bounded time. */
    async isAvailable(): Promise<boolean> {
      const endsAtMs = performance.now() + startMs;
      while (redis.status !== 'ready' && !availability.isLost() && performance.now() < endsAtMs) await sleep(10);
      return redis.status === 'ready';
    },
    close() {
      availability.end();
      redis.disconnect();
    },
  };
}

/** Resolves with undefined when the response fails or takes too long. Prefers a response that has already arrived. */
function within<T>(limitMs: number, response: Promise<T>, availability: AvailabilityTracker): Promise<T | undefined> {
  return new Promise((resolve) => {
    let last: NodeJS.Immediate | undefined;
    const giveUp = () => {
      availability.markSilent(new Error(`Redis did not respond within ${limitMs} ms`));
      resolve(undefined);
    };
    // After a long task of the event loop, the timer can fire before a response that has already arrived.
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
