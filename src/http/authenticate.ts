import type { Request, RequestHandler } from 'express';
import { operationScopes } from '../../generated/spec.js';
import type { Identity, Scope } from '../contract.js';
import { RateLimitError } from '../limits/allowance.js';
import type { FailureLimit } from '../limits/failure-limit.js';
import { ProblemError } from '../problem.js';

/** Returns the caller of a key, or why the key is not valid. A key may be limited to some addresses. */
export type Authenticate = (key: string, address: string | undefined) => Promise<Identity>;

/**
 * Runs before the body is read, and also on unknown paths. The response never says why a key is invalid, because that
 * would help the holder of a stolen key. The log line of the request says it. Too many failures from one address get a
 * 429.
 */
export function authenticate(identify: Authenticate, countFailure: FailureLimit): RequestHandler {
  return async (request, response, next) => {
    const { locals } = response;
    if (locals.isPublic) return next();
    const key = request.get('X-Service-Key');
    const address = callerAddress(request);
    // The key is checked before the limit: a valid key is accepted even from an address with many failures.
    const refuse = (problem: ProblemError): never => {
      const allowance = countFailure(address);
      locals.allowances = [];
      throw allowance?.isExceeded ? new RateLimitError(allowance) : problem;
    };
    if (!key) return refuse(new ProblemError('missing_api_key', request.headers.authorization ? { hint: {} } : {}));
    const identity = await identify(key, address);
    if (!identity.caller) {
      const { refusal, keyId } = identity;
      locals.logged = { ...locals.logged, key_refusal: refusal, ...(keyId !== undefined && { key_id: keyId }) };
      return refuse(new ProblemError('invalid_api_key'));
    }
    locals.caller = identity.caller;
    locals.scopes = identity.scopes;
    next();
  };
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
