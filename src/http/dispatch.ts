import type { RequestHandler } from 'express';
import type { Caller, Operations } from '../contract.js';

/** Runs the operation and sends what it answers: the only place that sends a success. */
export function dispatch(operations: Operations): RequestHandler {
  return async (request, response) => {
    const { route, params, caller } = response.locals;
    if (!route) throw new Error('dispatch needs a route');
    // The table pairs each id with its own types; the validator has checked the input against the same id.
    const operation = operations[route.operationId] as (
      input: unknown,
      caller: Caller | undefined,
    ) => Promise<{ status: number; body?: unknown }>;
    const { status, body } = await operation({ query: request.query, params, body: request.body }, caller);
    response.statusCode = status;
    if (body === undefined) response.end();
    else response.json(body);
  };
}
