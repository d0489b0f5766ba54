import type { RequestHandler } from 'express';
import { ProblemError } from '../problem.js';

/** While the service shuts down it finishes what it has begun and begins nothing new. */
export function refuseWhenClosing(isClosing: () => boolean): RequestHandler {
  return (_request, response, next) => {
    if (!isClosing()) return next();
    response.set('Connection', 'close');
    throw new ProblemError('service_unavailable');
  };
}
