import type { RequestHandler } from 'express';
import type { Caller, OperationId } from '../contract.js';

/**
 * Preparations by operationId. A preparation returns the prepared body, or throws a ProblemError to reject the request.
 * It makes checks that require no database, and does CPU work that belongs on the HTTP thread.
 */
export type Preparations = { readonly [Op in OperationId]?: (caller: Caller, body: never) => object };

/**
 * Replaces the body with the result of the operation's preparation. Keeps the body if the operation has no preparation.
 */
export function prepare(preparations: Preparations): RequestHandler {
  return (request, response, next) => {
    const { route, caller } = response.locals;
    const preparation = route && preparations[route.operationId];
    // The body was validated against the schema of the same operation.
    if (preparation && caller) request.body = preparation(caller, request.body as never);
    next();
  };
}
