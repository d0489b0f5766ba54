import { hash } from 'node:crypto';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Allowance, LimitPolicy } from './allowance.js';
import type { CountStore } from './redis.js';

export interface WindowLimitOptions {
  readonly policy: LimitPolicy;
  /** Requests per window; 0 means unlimited. */
  readonly quota: number;
  readonly windowSeconds: number;
}

/**
 * Counts a request of a name in the name's window, which starts with the first request and has a fixed length. Resolves
 * with the allowance; undefined when unlimited.
 */
export type WindowLimit = (...name: readonly string[]) => Promise<Allowance | undefined>;

/**
 * Counts in memory, or in a store that all processes share. While the store is unavailable, counting continues in memory
 * from the store's last known count, so that no process exceeds the quota.
 */
export function createWindowLimit(options: WindowLimitOptions, store?: CountStore): WindowLimit {
  const { policy, quota, windowSeconds } = options;
  if (quota === 0) return async () => undefined;
  const limits = { keyPrefix: '', points: quota, duration: windowSeconds };
  const memory = new RateLimiterMemory(limits);
  const remember = (key: string, count: number, leftMs: number) =>
    // A zero duration would never expire.
    leftMs > 0 ? void memory.set(key, count, leftMs / 1000) : undefined;
  const limiter = store
    ? new RateLimiterRedis({
        ...limits,
        storeClient: store.heardBy(remember),
        rejectIfRedisNotReady: true,
        insuranceLimiter: memory,
      })
    : memory;
  return async (...name) => {
    const { isExceeded, result } = await consume(limiter, keyOf(policy, name));
    const resetSeconds = Math.max(1, Math.ceil(result.msBeforeNext / 1000));
    return { policy, quota, windowSeconds, remaining: result.remainingPoints, resetSeconds, isExceeded };
  };
}

/** The limiter rejects with its result when the quota is exceeded, and otherwise with an error. */
async function consume(
  limiter: RateLimiterMemory | RateLimiterRedis,
  key: string,
): Promise<{ isExceeded: boolean; result: RateLimiterRes }> {
  try {
    return { isExceeded: false, result: await limiter.consume(key) };
  } catch (result) {
    if (result instanceof RateLimiterRes) return { isExceeded: true, result };
    throw result;
  }
}

/** Hashed, so that ids of people are not copied to Redis; ids contain no spaces, so the join is unambiguous. */
function keyOf(policy: LimitPolicy, name: readonly string[]): string {
  return `state-service:${policy}:${hash('sha256', name.join(' '), 'base64url').slice(0, 22)}`;
}
