import type { ErrorRequestHandler } from 'express';
import type { Logger } from 'pino';
import { authentication, problems, retryAfter } from '../../generated/spec.js';
import { type Allowance, type LimitPolicy, RateLimitError, rateLimitFields } from '../limits/allowance.js';
import type { FailureLimit } from '../limits/failure-limit.js';
import { ProblemError } from '../contract/problem.js';
import { countRefusal } from './authenticate.js';
import { sendText } from './responses.js';

const unauthorized = problems.missing_api_key.status;

export interface ProblemHandling {
  readonly log: Logger;
  /** Returns true for a retryable error of the database. */
  readonly isTransient: (error: unknown) => boolean;
  /** Returns what an operator can do about a database outage. Undefined if no remedy is known. */
  readonly remedyOf: (error: unknown) => string | undefined;
  /** Called for every request that a limit rejected. */
  readonly observeRefusal: (policy: LimitPolicy) => void;
  readonly countFailure: FailureLimit;
}

/**
 * Sends every error as problem details. An error that is not a ProblemError becomes service_unavailable if it is
 * retryable (`isTransient`), otherwise internal_error. Causes are logged and never sent. Failed authentications count
 * against the limit of their address.
 */
export function problemHandler(parts: ProblemHandling): ErrorRequestHandler {
  const { log, isTransient, remedyOf, observeRefusal, countFailure } = parts;
  return (error: unknown, request, response, next) => {
    if (response.headersSent) return next(error);
    let problem = toProblem(error, isTransient);
    if (problem.status === unauthorized) {
      problem = countRefusal(problem, request, response, countFailure);
      response.locals.allowances = [];
      // Responses to invalid tokens have no limits in their headers, whichever check finds the token invalid.
      for (const name of ['RateLimit', 'RateLimit-Policy']) response.removeHeader(name);
    }
    if (problem.status >= 500) {
      const err = problem.cause ?? problem;
      log.error({ ...response.locals.logged, err, remedy: remedyOf(err) }, problem.code);
    }
    const retryAfterSeconds = findRetryAfter(problem);
    if (retryAfterSeconds !== undefined) response.set('Retry-After', String(retryAfterSeconds));
    // All 401 responses are equal, so that they do not reveal the cause.
    if (problem.status === unauthorized) response.set('WWW-Authenticate', authentication.challenge);
    if (problem instanceof RateLimitError) {
      response.set(fieldsOf(problem, response.locals.allowances));
      observeRefusal(problem.exceeded.policy);
    }
    response.setHeader('Content-Type', 'application/problem+json; charset=utf-8');
    response.statusCode = problem.status;
    sendText(response, JSON.stringify(problem.toBody(response.locals.requestId)));
  };
}

function fieldsOf({ exceeded }: RateLimitError, allowances: readonly Allowance[]): Record<string, string> {
  return { 'Retry-After': String(exceeded.resetSeconds), ...rateLimitFields([...allowances, exceeded]) };
}

function findRetryAfter({ code, retryAfterSeconds }: ProblemError): number | undefined {
  const isSoon = code === 'service_unavailable' || code === 'idempotency_key_in_use';
  return retryAfterSeconds ?? (isSoon ? retryAfter.service_unavailable_seconds : undefined);
}

function toProblem(error: unknown, isTransient: (error: unknown) => boolean): ProblemError {
  if (error instanceof ProblemError) return error;
  return new ProblemError(isTransient(error) ? 'service_unavailable' : 'internal_error', { cause: error });
}
