import { type Allowance, RateLimitError } from './allowance.js';

/** The values in the response to a rejected request. */
export type ConcurrencyQuota = Pick<Allowance, 'policy' | 'quota' | 'resetSeconds'>;

/**
 * Adds an entry of an account or key. Returns a function that removes the entry. Throws a RateLimitError if the quota
 * is reached.
 */
export type BeginEntry = (id: string) => () => void;

/** Limits the number of concurrent entries per account or key. A quota of 0 means unlimited. */
export function createConcurrencyLimit({ policy, quota, resetSeconds }: ConcurrencyQuota): BeginEntry {
  const open = new Map<string, number>();
  return (id) => {
    const count = open.get(id) ?? 0;
    if (quota > 0 && count >= quota)
      throw new RateLimitError({ policy, quota, remaining: 0, resetSeconds, isExceeded: true });
    open.set(id, count + 1);
    return () => {
      const left = (open.get(id) ?? 0) - 1;
      if (left > 0) open.set(id, left);
      else open.delete(id);
    };
  };
}

/** Returns the largest share of a process's capacity that one account may use: half of it, but at least one. */
export function shareOfAccount(capacity: number): number {
  return Math.max(1, Math.floor(capacity / 2));
}
