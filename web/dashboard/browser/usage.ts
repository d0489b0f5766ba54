/** Calls of the account in this month. */
export interface Usage {
  readonly used: number;
  readonly quota: number;
  readonly resetSeconds: number;
}

/** Reads the month from the RateLimit headers. Undefined for an account without a monthly quota. */
export function usageOf(headers: Headers): Usage | undefined {
  const policy = /"month";q=(\d+)/.exec(headers.get('ratelimit-policy') ?? '');
  const rest = /"month";r=(\d+);t=(\d+)/.exec(headers.get('ratelimit') ?? '');
  if (!policy || !rest) return undefined;
  const [quota, remaining] = [Number(policy[1]), Number(rest[1])];
  return { quota, used: quota - remaining, resetSeconds: Number(rest[2]) };
}
