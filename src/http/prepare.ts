import type { RequestHandler } from 'express';
import type { Caller, OperationId } from '../contract.js';

/**
 * Preparations by operationId: each returns the prepared body. A preparation makes checks that need no database and
 * does CPU work that belongs on this thread. It throws a ProblemError to reject the request.
 */
export type Preparations = { readonly [Op in OperationId]?: (caller: Caller, body: never) => object };

/** Replaces the body with the result of the operation's preparation, if it has one. */
export function prepare(preparations: Preparations): RequestHandler {
  return (request, response, next) => {
    const { route, caller } = response.locals;
    const preparation = route && preparations[route.operationId];
    // The body was validated against the schema of the same operation.
    if (preparation && caller) request.body = preparation(caller, request.body as never);
    next();
  };
}
