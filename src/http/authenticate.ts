import type { RequestHandler } from 'express';
import type { Caller } from '../contract.js';
import { ProblemError } from '../problem.js';

/** Finds who a key belongs to; undefined for unknown, revoked and expired ones. */
export type Authenticate = (key: string) => Promise<Caller | undefined>;

/** Before anything else of the request is read; also on paths that the contract does not name. */
export function authenticate(callerOf: Authenticate): RequestHandler {
  return async (request, response, next) => {
    if (response.locals.isPublic) return next();
    const key = request.get('X-Service-Key');
    if (!key) throw new ProblemError('missing_api_key');
    response.locals.caller = await callerOf(key);
    if (!response.locals.caller) throw new ProblemError('invalid_api_key');
    next();
  };
}
