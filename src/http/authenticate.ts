import type { Request, Response } from 'express';
import { operationScopes } from '../../generated/spec.js';
import type { Identity, Scope, TokenIdentity } from '../contract/contract.js';
import { RateLimitError } from '../limits/allowance.js';
import type { FailureLimit } from '../limits/failure-limit.js';
import { ProblemError } from '../contract/problem.js';
import type { Middleware } from './in-order.js';

/** Functions that check credentials. */
export interface Authentication {
  /**
   * Returns the caller of a key, or the reason why the key is not valid. A key may be valid only from some addresses.
   */
  readonly identify: (key: string, address: string | undefined) => Promise<Identity>;
  /** Returns the caller of a session token, or the reason why the token is not valid. */
  readonly identifyToken: (token: string) => Promise<TokenIdentity>;
}

const scopeOf: Readonly<Record<string, Scope>> = operationScopes;

/** Checks the credentials before the body is read, also on unknown paths. */
export function authenticate({ identify, identifyToken }: Authentication): Middleware {
  return async (request, { locals }, next) => {
    if (locals.isPublic) return next();
    const key = request.get('X-Service-Key');
    const token = key ? undefined : findToken(request, locals);
    if (token !== undefined) await useToken(locals, token);
    else if (key) await useKey(request, locals, key);
    else throw new ProblemError('missing_api_key', request.headers.authorization ? { hint: {} } : {});
    next();
  };

  /** Finds the key and stores its caller and scopes in `locals`. */
  async function useKey(request: Request, locals: Express.Locals, key: string): Promise<void> {
    // Behind trusted proxies (TRUST_PROXY), `ip` is the address in X-Forwarded-For.
    const identity = await identify(key, request.ip);
    if (!identity.caller) {
      const { refusal, keyId } = identity;
      locals.logged = { ...locals.logged, key_refusal: refusal, ...(keyId !== undefined && { key_id: keyId }) };
      throw new ProblemError('invalid_api_key');
    }
    locals.caller = identity.caller;
    locals.scopes = identity.scopes;
  }

  /** Stores the caller of a token that is valid for this operation. */
  async function useToken(locals: Express.Locals, token: string): Promise<void> {
    const identity = await identifyToken(token);
    const scope = locals.route && scopeOf[locals.route.operationId];
    const isAllowed = locals.route?.acceptsToken && scope && identity.caller && identity.scopes.has(scope);
    if (!isAllowed)
      throw new ProblemError('invalid_token', { cause: identity.refusal ?? 'not valid for this operation' });
    locals.caller = identity.caller;
    locals.scopes = identity.scopes;
    locals.token = { sessionId: identity.sessionId, expiresAtMs: identity.expiresAtMs };
  }
}

/**
 * Returns the session token of a request without a key. A key in the Authorization header is not a token: the error
 * names the correct header.
 */
function findToken({ headers, query }: Request, { route }: Express.Locals): string | undefined {
  const { access_token: inQuery } = query;
  if (route?.record.takesTokenInQuery && typeof inQuery === 'string') return inQuery;
  const [, bearer] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  return bearer?.startsWith('sk_') ? undefined : bearer;
}

/**
 * Counts a failed authentication and returns the error to send: a 429 for an address with too many failures. Runs after
 * the credentials are checked, so that valid credentials are accepted even from an address with many failures.
 *
 * The response does not contain the reason why a token is invalid, because the reason would help a thief. Only the log
 * line of the request contains the reason.
 */
export function countRefusal(
  problem: ProblemError,
  { ip }: Request,
  { locals }: Response,
  countFailure: FailureLimit,
): ProblemError {
  if (problem.code === 'invalid_token')
    locals.logged = { ...locals.logged, token_refusal: String(problem.cause ?? 'not valid for this subject') };
  const allowance = countFailure(ip);
  return allowance?.isExceeded ? new RateLimitError(allowance) : problem;
}

/** Rejects a key without the scope of the operation (403). The error names the scope. */
export const requireScope: Middleware = (_request, { locals: { route, scopes } }, next) => {
  const scope = route && scopeOf[route.operationId];
  if (scope !== undefined && !scopes?.has(scope)) throw new ProblemError('insufficient_scope', { values: { scope } });
  next();
};
