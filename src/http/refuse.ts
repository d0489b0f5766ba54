import type { Logger } from 'pino';
import { authentication, problems, retryAfter } from '../../generated/spec.js';
import { ProblemError } from '../contract/problem.js';
import type { FailureLimit } from '../limits/failure-limit.js';
import { type LimitPolicy, RateLimitError, toRateLimitFields } from '../limits/window-limit.js';
import { countRefusal } from './admit.js';
import type { Exchange } from './exchange.js';

const unauthorized = problems.missing_api_key.status;

export interface RefusalParts {
  readonly log: Logger;
  /** Returns true for a retryable error of the database. */
  readonly isTransient: (error: unknown) => boolean;
  /** Called for every request that a limit rejected. */
  readonly observeRefusal: (policy: LimitPolicy) => void;
  readonly countFailure: FailureLimit;
}

export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly problem: ReturnType<ProblemError['toBody']>;
}

export type Refuse = ReturnType<typeof createRefuse>;

/**
 * Returns a function that converts every error to problem details, counts and logs it, and names its code in the line of the
 * request. An error that is not a ProblemError becomes service_unavailable if it is retryable (`isTransient`), otherwise
 * internal_error. Causes are logged and never sent. Failed authentications count against the limit of their address.
 */
export function createRefuse(parts: RefusalParts) {
  const { log, isTransient, observeRefusal, countFailure } = parts;
  return (error: unknown, exchange: Exchange): Refusal => {
    let problem = toProblem(error, isTransient);
    if (problem.status === unauthorized) {
      problem = countRefusal(problem, exchange, countFailure);
      // Responses to invalid tokens have no limits in their headers, whichever check finds the token invalid.
      exchange.allowances = [];
    }
    if (problem.status >= 500) log.error({ ...exchange.describe(), err: problem.cause ?? problem }, problem.code);
    if (problem instanceof RateLimitError) observeRefusal(problem.exceeded.policy);
    const { status, code } = problem;
    exchange.logged = { ...exchange.logged, code };
    return { status, headers: listHeaders(problem, exchange), problem: problem.toBody(exchange.requestId) };
  };
}

function listHeaders(problem: ProblemError, { allowances }: Exchange): Record<string, string> {
  const exceeded = problem instanceof RateLimitError ? problem.exceeded : undefined;
  const retryAfterSeconds = exceeded?.resetSeconds ?? findRetryAfter(problem);
  return {
    ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
    // All 401 responses are equal, so that they do not reveal the cause.
    ...(problem.status === unauthorized && { 'WWW-Authenticate': authentication.challenge }),
    ...toRateLimitFields(exceeded ? [...allowances, exceeded] : allowances),
    'Content-Type': 'application/problem+json; charset=utf-8',
  };
}

function findRetryAfter({ code, retryAfterSeconds }: ProblemError): number | undefined {
  const isSoon = code === 'service_unavailable' || code === 'idempotency_key_in_use';
  return retryAfterSeconds ?? (isSoon ? retryAfter.service_unavailable_seconds : undefined);
}

function toProblem(error: unknown, isTransient: (error: unknown) => boolean): ProblemError {
  if (error instanceof ProblemError) return error;
  return new ProblemError(isTransient(error) ? 'service_unavailable' : 'internal_error', { cause: error });
}
