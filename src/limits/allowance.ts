import type { Schema } from '../contract.js';
import { ProblemError } from '../problem.js';

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
