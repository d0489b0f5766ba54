import type { RequestHandler } from 'express';
import { problems } from '../../generated/spec.js';
import { ProblemError } from '../problem.js';
import { whenAnswered } from './when-settled.js';

const unavailable = problems.service_unavailable.status;

export interface Admission {
  readonly isClosing: () => boolean;
  /** Requests under way from which further ones are refused, before they fill the memory. */
  readonly underWayMax: number;
}

/**
 * Refuses what cannot be served now, where the contract documents that refusal: liveness goes on answering. While the
 * service shuts down it finishes what it has begun and begins nothing new.
 */
export function admit({ isClosing, underWayMax }: Admission): RequestHandler {
  let inFlight = 0;
  return (_request, response, next) => {
    inFlight += 1;
    whenAnswered(response, () => (inFlight -= 1));
    const cause = isClosing() ? 'closing' : inFlight > underWayMax ? 'overloaded' : undefined;
    if (cause === 'closing') response.set('Connection', 'close');
    const isRefusable = unavailable in (response.locals.route?.operation.responses ?? {});
    next(cause && isRefusable ? new ProblemError('service_unavailable', { cause }) : undefined);
  };
}
