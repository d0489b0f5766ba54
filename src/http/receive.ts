import type { RequestHandler } from 'express';
import type { Submission } from '../contract.js';

/** Makes of a submission what is taken in of it: plain data, without the text. */
export type Receive = (accountId: string, submission: Submission) => object;

/** Text goes no further than here. */
export function receive(toReceived: Receive): RequestHandler {
  return (request, response, next) => {
    const { route, caller } = response.locals;
    if (route?.operationId === 'ingest' && caller) request.body = toReceived(caller.accountId, request.body);
    next();
  };
}
