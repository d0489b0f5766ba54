import { hash } from 'node:crypto';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Allowance, LimitPolicy } from './allowance.js';
import type { SharedCounter, WindowCount } from './redis.js';

export interface WindowLimitOptions {
  readonly policy: LimitPolicy;
  /** Maximum number of requests per window. 0 means unlimited. */
  readonly quota: number;
  readonly windowSeconds: number;
}

/**
 * Counts a request in the window of `name`. The window starts with its first request and has a fixed length. Resolves
 * with the allowance, or with undefined when unlimited.
 */
export type WindowLimit = (...name: readonly string[]) => Promise<Allowance | undefined>;

/**
 * Creates a limit that counts in memory, or in a counter that all processes share. While the shared counter is
 * unavailable, each process continues in memory from the last known count. No process therefore exceeds the quota.
 */
export function createWindowLimit(options: WindowLimitOptions, shared?: SharedCounter): WindowLimit {
  const { policy, quota, windowSeconds } = options;
  if (quota === 0) return async () => undefined;
  const memory = new RateLimiterMemory({ keyPrefix: '', points: quota, duration: windowSeconds });
  return async (...name) => {
    const key = keyOf(policy, name);
    const counted = await shared?.count(key, windowSeconds * 1000);
    // A duration of zero would never expire in memory.
    if (counted && counted.leftMs > 0) await memory.set(key, counted.count, counted.leftMs / 1000);
    const { count, leftMs } = counted ?? (await countInMemory(memory, key));
    const resetSeconds = Math.max(1, Math.ceil(leftMs / 1000));
    const remaining = Math.max(0, quota - count);
    return { policy, quota, windowSeconds, remaining, resetSeconds, isExceeded: count > quota };
  };
}

/** Counts a request in memory. The limiter rejects with its result when the quota is exceeded. */
async function countInMemory(memory: RateLimiterMemory, key: string): Promise<WindowCount> {
  const result = await memory.consume(key).catch((reason: unknown) => {
    if (reason instanceof RateLimiterRes) return reason;
    throw reason;
  });
  return { count: result.consumedPoints, leftMs: result.msBeforeNext };
}

/**
 * Returns a hash, so that ids of people are not copied to Redis. The joined text is unambiguous, because ids contain no
 * spaces.
 */
function keyOf(policy: LimitPolicy, name: readonly string[]): string {
  return `state-service:${policy}:${hash('sha256', name.join(' '), 'base64url').slice(0, 22)}`;
}
