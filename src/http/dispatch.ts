import type { Request, RequestHandler, Response } from 'express';
import type { Operate } from '../contract.js';
import type { FailureLimit } from '../limits/failure-limit.js';
import { ProblemError } from '../problem.js';
import { refusalOf } from './authenticate.js';
import { sendText } from './json.js';

export interface DispatchParts {
  readonly operate: Operate;
  readonly countFailure: FailureLimit;
}

/** Runs the operation and sends its response. No other middleware sends a success response. */
export function dispatch({ operate, countFailure }: DispatchParts): RequestHandler {
  return async (request, response) => {
    const { route, params, caller } = response.locals;
    if (!route) throw new Error('dispatch must run after route');
    const { query, body } = request;
    const key = request.get('Idempotency-Key');
    const headers = key === undefined ? {} : { headers: { 'Idempotency-Key': key } };
    const input = { query, params, body, ...headers };
    const { status, json, refusals, tokenRefusals } = await operate(route.operationId, input, caller).catch(
      (error: unknown) => rethrow(error, request, response, countFailure),
    );
    if (refusals) response.locals.refusals?.push(...refusals);
    for (let count = 0; count < (tokenRefusals ?? 0); count += 1) refuseToken(request, response, countFailure);
    response.statusCode = status;
    if (json === undefined) response.end();
    else sendText(response, json);
  };
}

/** Throws the error of an operation. A reading that its token does not allow counts as a failed authentication. */
function rethrow(error: unknown, request: Request, response: Response, countFailure: FailureLimit): never {
  if (!(error instanceof ProblemError) || error.code !== 'invalid_token') throw error;
  // The other responses to invalid tokens have no limits in their headers.
  for (const name of ['RateLimit', 'RateLimit-Policy']) response.removeHeader(name);
  throw refuseToken(request, response, countFailure);
}

function refuseToken(request: Request, response: Response, countFailure: FailureLimit): ProblemError {
  response.locals.logged = { ...response.locals.logged, token_refusal: 'not valid for this subject' };
  return refusalOf(request, response, new ProblemError('invalid_token'), countFailure);
}
