import type { ErrorRequestHandler } from 'express';
import type { Logger } from 'pino';
import { authentication, problems, retryAfter } from '../../generated/spec.js';
import { type Allowance, type LimitPolicy, RateLimitError } from '../limits/allowance.js';
import { rateLimitFields } from '../limits/fields.js';
import { ProblemError } from '../problem.js';

const unauthorized = problems.missing_api_key.status;

export interface ProblemHandling {
  readonly log: Logger;
  /** Returns true for a retryable error of the database. */
  readonly isTransient: (error: unknown) => boolean;
  /** Returns what an operator can do about a database outage. Undefined if no remedy is known. */
  readonly remedyOf: (error: unknown) => string | undefined;
  /** Called for every request that a limit rejected. */
  readonly observeRefusal: (policy: LimitPolicy) => void;
}

/**
 * Sends every error as problem details. An error that is not a ProblemError becomes service_unavailable if it is
 * retryable (`isTransient`), otherwise internal_error. Causes are logged and never sent.
 */
export function problemHandler({ log, isTransient, remedyOf, observeRefusal }: ProblemHandling): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    if (response.headersSent) return next(error);
    const problem = toProblem(error, isTransient);
    if (problem.status >= 500) {
      const err = problem.cause ?? problem;
      log.error({ ...response.locals.logged, err, remedy: remedyOf(err) }, problem.code);
    }
    const retryAfterSeconds = retryAfterOf(problem);
    if (retryAfterSeconds !== undefined) response.set('Retry-After', String(retryAfterSeconds));
    // All 401 responses are equal, so that they do not reveal the cause.
    if (problem.status === unauthorized) response.set('WWW-Authenticate', authentication.challenge);
    if (problem instanceof RateLimitError) {
      response.set(fieldsOf(problem, response.locals.allowances));
      observeRefusal(problem.exceeded.policy);
    }
    response.setHeader('Content-Type', 'application/problem+json; charset=utf-8');
    response.status(problem.status).json(problem.toBody(response.locals.requestId));
  };
}

function fieldsOf({ exceeded }: RateLimitError, allowances: readonly Allowance[]): Record<string, string> {
  return { 'Retry-After': String(exceeded.resetSeconds), ...rateLimitFields([...allowances, exceeded]) };
}

function retryAfterOf({ code, retryAfterSeconds }: ProblemError): number | undefined {
  const isSoon = code === 'service_unavailable' || code === 'idempotency_key_in_use';
  return retryAfterSeconds ?? (isSoon ? retryAfter.service_unavailable_seconds : undefined);
}

function toProblem(error: unknown, isTransient: (error: unknown) => boolean): ProblemError {
  if (error instanceof ProblemError) return error;
  return new ProblemError(isTransient(error) ? 'service_unavailable' : 'internal_error', { cause: error });
}
