import type { Request, RequestHandler, Response } from 'express';
import type { Caller } from '../contract.js';
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

/**
 * Adds the subject of the caller's token to a reading without one. Runs before the validation, which requires a subject
 * for a conversation turn. The lines of a batch are completed separately.
 */
export const inheritSubject: RequestHandler = (request, { locals: { route, caller } }, next) => {
  if (route?.operationId === 'ingest') request.body = withSubject(caller, request.body);
  next();
};

/** Returns the body with the subject of the caller's token. Keeps a body that has a subject or is no object. */
export function withSubject(caller: Caller | undefined, body: unknown): unknown {
  const subjectId = caller?.grant?.subjectId;
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  if (subjectId === undefined || !isObject || Object.hasOwn(body, 'subject_id')) return body;
  return { ...body, subject_id: subjectId };
}

/** Returns the session of a request. For a stream without session_id, returns the session of its token. */
function named(request: Request, { locals }: Response): unknown {
  if (locals.route?.operationId !== 'streamEvents') return sessionOf(request, locals.route);
  return request.query['session_id'] ?? locals.token?.sessionId;
}
