import type { RequestHandler } from 'express';
import { problems } from '../../generated/spec.js';
import { ProblemError } from '../problem.js';

const unavailable = problems.service_unavailable.status;

/**
 * While the service shuts down it finishes what it has begun and begins nothing new, where the contract documents that
 * refusal: liveness goes on answering.
 */
export function refuseWhenClosing(isClosing: () => boolean): RequestHandler {
  return (_request, response, next) => {
    if (!isClosing()) return next();
    response.set('Connection', 'close');
    const responses = response.locals.route?.operation.responses ?? {};
    next(unavailable in responses ? new ProblemError('service_unavailable', { cause: 'closing' }) : undefined);
  };
}
