import type { Request, RequestHandler, Response } from 'express';
import type { FailureLimit } from '../limits/failure-limit.js';
import { ProblemError } from '../problem.js';
import { refusalOf } from './authenticate.js';
import { sessionOf } from './session-of.js';

/**
 * Rejects a session token on a request for another session. Runs after the validation of the request. The lines of a
 * batch are checked separately.
 */
export function requireSession(countFailure: FailureLimit): RequestHandler {
  return (request, response, next) => {
    const { locals } = response;
    if (!locals.token || locals.route?.operationId === 'ingestBatch') return next();
    if (named(request, response) === locals.token.sessionId) return next();
    locals.logged = { ...locals.logged, token_refusal: 'not valid for this session' };
    throw refusalOf(request, response, new ProblemError('invalid_token'), countFailure);
  };
}

/** Returns the session of a request. For a stream without session_id, returns the session of its token. */
function named(request: Request, { locals }: Response): unknown {
  if (locals.route?.operationId !== 'streamEvents') return sessionOf(request, locals.route);
  return request.query['session_id'] ?? locals.token?.sessionId;
}
