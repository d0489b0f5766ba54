import type { RequestHandler } from 'express';
import { limits, problems } from '../../generated/spec.js';
import { createConcurrencyLimit, shareOfAccount } from '../limits/concurrency-limit.js';
import { ProblemError } from '../problem.js';
import { whenWritten } from './when-settled.js';

const unavailable = problems.service_unavailable.status;

export interface Admission {
  readonly isClosing: () => boolean;
  /** Maximum number of requests in flight. Further requests are rejected, so that memory stays bounded. */
  readonly inFlightMax: number;
}

/**
 * Rejects requests with service_unavailable while the service shuts down or is overloaded. Public
 * operations are rejected only if they document this error in the contract. The liveness check is therefore always
 * served.
 */
export function admit({ isClosing, inFlightMax }: Admission): RequestHandler {
  let inFlight = 0;
  return (_request, response, next) => {
    inFlight += 1;
    whenWritten(response, () => (inFlight -= 1));
    const cause = isClosing() ? 'closing' : inFlight > inFlightMax ? 'overloaded' : undefined;
    if (cause === 'closing') response.set('Connection', 'close');
    const { isPublic, route } = response.locals;
    const isRefusable = !isPublic || unavailable in (route?.operation.responses ?? {});
    next(cause && isRefusable ? new ProblemError('service_unavailable', { cause }) : undefined);
  };
}

/** Rejects requests of an account that has half of the maximum number of requests in flight. */
export function admitAccount({ inFlightMax }: Admission): RequestHandler {
  const { policy, refused_retry_seconds: resetSeconds } = limits.requests;
  const begin = createConcurrencyLimit({ policy, quota: shareOfAccount(inFlightMax), resetSeconds });
  return (_request, response, next) => {
    const { caller } = response.locals;
    if (caller) whenWritten(response, begin(caller.accountId));
    next();
  };
}
