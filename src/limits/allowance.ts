import type { Schema } from '../contract/contract.js';
import { ProblemError } from '../contract/problem.js';

export type LimitPolicy = Schema<'LimitPolicy'>;

/** The state of one limit after a request was counted. */
export interface Allowance {
  readonly policy: LimitPolicy;
  readonly quota: number;
  /** Length of the window. Absent for a calendar month. */
  readonly windowSeconds?: number;
  /** Number of further requests that the window allows. */
  readonly remaining: number;
  /** Seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
  /** True when this request exceeded the quota. */
  readonly isExceeded: boolean;
}

/** Error for a request that exceeded a limit. */
export class RateLimitError extends ProblemError {
  readonly exceeded: Allowance;

  constructor(exceeded: Allowance) {
    super('rate_limit_exceeded');
    this.exceeded = exceeded;
  }

  override toBody(requestId: string): Schema<'RateLimitProblem'> {
    return { ...super.toBody(requestId), violated_policies: [this.exceeded.policy] };
  }
}

/**
 * Returns the RateLimit header fields of draft-ietf-httpapi-ratelimit-headers-11 as lists of structured field items,
 * the most general limit first. Returns no fields when no limit applies.
 */
export function rateLimitFields(allowances: readonly Allowance[]): Record<string, string> {
  if (allowances.length === 0) return {};
  return {
    'RateLimit-Policy': allowances.map(policyItem).join(', '),
    RateLimit: allowances
      .map(({ policy, remaining, resetSeconds }) => `"${policy}";r=${remaining};t=${resetSeconds}`)
      .join(', '),
  };
}

function policyItem({ policy, quota, windowSeconds }: Allowance): string {
  return `"${policy}";q=${quota}${windowSeconds === undefined ? '' : `;w=${windowSeconds}`}`;
}
