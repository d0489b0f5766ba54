import type { Schema } from '../contract.js';
import { ProblemError } from '../problem.js';

export type LimitPolicy = Schema<'LimitPolicy'>;

/** Where a request stands with one limit, itself counted. */
export interface Allowance {
  readonly policy: LimitPolicy;
  readonly quota: number;
  /** Absent where the window is a calendar month. */
  readonly windowSeconds?: number;
  /** How many more requests the window has room for. */
  readonly remaining: number;
  /** Seconds until the quota is whole again, at least 1. */
  readonly resetSeconds: number;
  /** True when there was no room for this request. */
  readonly isExceeded: boolean;
}

/** A request that exceeded a limit. */
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
