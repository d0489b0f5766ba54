import type { RequestHandler } from 'express';
import type { Operate } from '../contract.js';
import { sendText } from './json.js';

/** Runs the operation and sends its response. No other middleware sends a success response. */
export function dispatch(operate: Operate): RequestHandler {
  return async (request, response) => {
    const { route, params, caller } = response.locals;
    if (!route) throw new Error('dispatch must run after route');
    const { query, body } = request;
    const key = request.get('Idempotency-Key');
    const headers = key === undefined ? {} : { headers: { 'Idempotency-Key': key } };
    const { status, json, refusals } = await operate(route.operationId, { query, params, body, ...headers }, caller);
    if (refusals) response.locals.refusals?.push(...refusals);
    response.statusCode = status;
    if (json === undefined) response.end();
    else sendText(response, json);
  };
}
