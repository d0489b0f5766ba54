import type { RequestHandler } from 'express';
import { problems } from '../../generated/spec.js';
import { ProblemError } from '../problem.js';
import { whenWritten } from './when-settled.js';

const unavailable = problems.service_unavailable.status;

export interface Admission {
  readonly isClosing: () => boolean;
  /** Maximum number of requests in flight. Further requests are rejected, so that memory stays bounded. */
  readonly inFlightMax: number;
}

/**
 * Rejects requests with service_unavailable while the service shuts down or is overloaded. Applies only to operations
 * that document this error in the contract. The liveness check is therefore always served.
 */
export function admit({ isClosing, inFlightMax }: Admission): RequestHandler {
  let inFlight = 0;
  return (_request, response, next) => {
    inFlight += 1;
    whenWritten(response, () => (inFlight -= 1));
    const cause = isClosing() ? 'closing' : inFlight > inFlightMax ? 'overloaded' : undefined;
    if (cause === 'closing') response.set('Connection', 'close');
    const isRefusable = unavailable in (response.locals.route?.operation.responses ?? {});
    next(cause && isRefusable ? new ProblemError('service_unavailable', { cause }) : undefined);
  };
}
