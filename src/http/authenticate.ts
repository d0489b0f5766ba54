import type { Request, RequestHandler, Response } from 'express';
import { operationScopes } from '../../generated/spec.js';
import type { Identity, Scope, TokenIdentity } from '../contract.js';
import { RateLimitError } from '../limits/allowance.js';
import type { FailureLimit } from '../limits/failure-limit.js';
import { ProblemError } from '../problem.js';

/** How credentials are checked. */
export interface Authentication {
  /** Returns the caller of a key, or why the key is not valid. A key may be limited to some addresses. */
  readonly identify: (key: string, address: string | undefined) => Promise<Identity>;
  /** Returns the caller of a session token, or why the token is not valid. */
  readonly identifyToken: (token: string) => Promise<TokenIdentity>;
  readonly countFailure: FailureLimit;
}

/**
 * Runs before the body is read, and also on unknown paths. The response never says why a key or token is invalid,
 * because that would help someone who stole it. The log line of the request says it. Too many failures from one address
 * get a 429.
 */
export function authenticate({ identify, identifyToken, countFailure }: Authentication): RequestHandler {
  return async (request, response, next) => {
    if (response.locals.isPublic) return next();
    const key = request.get('X-Service-Key');
    const token = key ? undefined : tokenOf(request, response);
    const problem = token === undefined ? await useKey(request, response, key) : await useToken(response, token);
    if (problem) throw refusalOf(request, response, problem, countFailure);
    next();
  };

  /** Returns the error of an invalid key. */
  async function useKey(request: Request, { locals }: Response, key?: string): Promise<ProblemError | undefined> {
    if (!key) return new ProblemError('missing_api_key', request.headers.authorization ? { hint: {} } : {});
    const identity = await identify(key, callerAddress(request));
    if (!identity.caller) {
      const { refusal, keyId } = identity;
      locals.logged = { ...locals.logged, key_refusal: refusal, ...(keyId !== undefined && { key_id: keyId }) };
      return new ProblemError('invalid_api_key');
    }
    locals.caller = identity.caller;
    locals.scopes = identity.scopes;
    return undefined;
  }

  /** Returns the error of a token that is invalid, or not valid for this operation. */
  async function useToken({ locals }: Response, token: string): Promise<ProblemError | undefined> {
    const identity = await identifyToken(token);
    const scope = locals.route && scopeOf[locals.route.operationId];
    const isAllowed = locals.route?.acceptsToken && scope && identity.caller && identity.scopes.has(scope);
    if (!isAllowed) {
      locals.logged = { ...locals.logged, token_refusal: identity.refusal ?? 'not valid for this operation' };
      return new ProblemError('invalid_token');
    }
    locals.caller = identity.caller;
    locals.scopes = identity.scopes;
    locals.token = { sessionId: identity.sessionId, expiresAtMs: identity.expiresAtMs };
    return undefined;
  }
}

/**
 * Counts the failure and returns the error to send. Credentials are checked before the limit: valid ones are accepted
 * even from an address with many failures.
 */
export function refusalOf(
  request: Request,
  { locals }: Response,
  problem: ProblemError,
  countFailure: FailureLimit,
): ProblemError {
  const allowance = countFailure(callerAddress(request));
  locals.allowances = [];
  return allowance?.isExceeded ? new RateLimitError(allowance) : problem;
}

/**
 * Returns the client's address: the connection's address or, behind trusted proxies (TRUST_PROXY), the address in
 * X-Forwarded-For. Undefined after the connection is closed.
 */
function callerAddress(request: Request): string | undefined {
  return request.ip;
}

const scopeOf: Readonly<Record<string, Scope>> = operationScopes;

/** Rejects a key without the scope of the operation (403). The error names the scope. */
export const requireScope: RequestHandler = (_request, response, next) => {
  const { route, scopes } = response.locals;
  const scope = route && scopeOf[route.operationId];
  if (scope !== undefined && !scopes?.has(scope)) throw new ProblemError('insufficient_scope', { values: { scope } });
  next();
};

/**
 * Returns the session token of a request without a key. A key in the Authorization header is no token: its error names
 * the correct header. Only the stream accepts a token in the query, for EventSource.
 */
function tokenOf({ headers, query }: Request, { locals }: Response): string | undefined {
  const { access_token: inQuery } = query;
  if (locals.route?.operationId === 'streamEvents' && typeof inQuery === 'string') return inQuery;
  const [, bearer] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  return bearer?.startsWith('sk_') ? undefined : bearer;
}
