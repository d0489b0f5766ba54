import { hash } from 'node:crypto';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Allowance, LimitPolicy } from './allowance.js';
import type { CountStore } from './redis.js';

export interface WindowLimitOptions {
  readonly policy: LimitPolicy;
  /** Requests in a window; 0 is without limit. */
  readonly quota: number;
  readonly windowSeconds: number;
}

/**
 * Counts a request of a name in its window, which begins with the first one and has a fixed length. Resolves with
 * where the name stands; undefined without a limit.
 */
export type WindowLimit = (...name: readonly string[]) => Promise<Allowance | undefined>;

/**
 * Counts in memory, where a window is forgotten when it ends; with a store in there, for all processes together. While
 * the store is away memory goes on from what the store said last, so that no process passes more than the quota.
 */
export function createWindowLimit(options: WindowLimitOptions, store?: CountStore): WindowLimit {
  const { policy, quota, windowSeconds } = options;
  if (quota === 0) return async () => undefined;
  const limits = { keyPrefix: '', points: quota, duration: windowSeconds };
  const memory = new RateLimiterMemory(limits);
  const remember = (key: string, count: number, leftMs: number) =>
    // Without time left it would be kept for ever.
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

/** The limiter rejects with its result where the quota is exceeded, and with errors. */
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

/** Ids of people do not leave the database; hashed they also take little room. Ids hold no spaces. */
function keyOf(policy: LimitPolicy, name: readonly string[]): string {
  return `state-service:${policy}:${hash('sha256', name.join(' '), 'base64url').slice(0, 22)}`;
}
