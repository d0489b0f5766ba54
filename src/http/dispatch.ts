import type { RequestHandler } from 'express';
import type { Operate } from '../contract.js';

/** Runs the operation and sends what it answers: the only place that sends a success. */
export function dispatch(operate: Operate): RequestHandler {
  return async (request, response) => {
    const { route, params, caller } = response.locals;
    if (!route) throw new Error('dispatch needs a route');
    const { query, body: sent } = request;
    const { status, body } = await operate(route.operationId, { query, params, body: sent }, caller);
    response.statusCode = status;
    if (body === undefined) response.end();
    else response.json(body);
  };
}
