import type { Request, RequestHandler, Response } from 'express';
import { operationScopes } from '../../generated/spec.js';
import type { Identity, Scope, TokenIdentity } from '../contract.js';
import { RateLimitError } from '../limits/allowance.js';
import type { FailureLimit } from '../limits/failure-limit.js';
import { ProblemError } from '../problem.js';

/** Functions that check credentials. */
export interface Authentication {
  /**
   * Returns the caller of a key, or the reason why the key is not valid. A key may be valid only from some addresses.
   */
  readonly identify: (key: string, address: string | undefined) => Promise<Identity>;
  /** Returns the caller of a session token, or the reason why the token is not valid. */
  readonly identifyToken: (token: string) => Promise<TokenIdentity>;
  readonly countFailure: FailureLimit;
}

/**
 * Checks the credentials before the body is read, also on unknown paths. Too many failures from one address get a 429.
 *
 * The response does not contain the reason why a key or token is invalid, because the reason would help a thief. Only
 * the log line of the request contains the reason.
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

  /** Finds the key and stores its caller and scopes in `locals`. Resolves with an error if the key is invalid. */
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

  /** Sets the caller of a token. Resolves with an error if the token is invalid, or not valid for this operation. */
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
 * Counts the failure and returns the error to send. Runs after the credentials are checked, so that valid credentials
 * are accepted even from an address with many failures.
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
 * Returns the client's address. Behind trusted proxies (TRUST_PROXY), this is the address in X-Forwarded-For. Undefined
 * after the connection is closed.
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
 * Returns the session token of a request without a key. A key in the Authorization header is not a token: the error
 * names the correct header. Only the stream accepts a token in the query, because EventSource cannot send headers.
 */
function tokenOf({ headers, query }: Request, { locals }: Response): string | undefined {
  const { access_token: inQuery } = query;
  if (locals.route?.operationId === 'streamEvents' && typeof inQuery === 'string') return inQuery;
  const [, bearer] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  return bearer?.startsWith('sk_') ? undefined : bearer;
}
