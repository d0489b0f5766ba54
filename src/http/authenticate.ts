import type { RequestHandler } from 'express';
import type { Identity } from '../contract.js';
import { ProblemError } from '../problem.js';
import { callerAddress } from './caller-address.js';

/** Finds the caller of a key, which may be valid from some addresses only. */
export type Authenticate = (key: string, address: string | undefined) => Promise<Identity>;

/**
 * Runs before anything else of the request is read, also on paths that the contract does not name. The response never
 * says why a key is invalid, so that a stolen key gives nothing away. The request's log line does.
 */
export function authenticate(identify: Authenticate): RequestHandler {
  return async (request, response, next) => {
    const { locals } = response;
    if (locals.isPublic) return next();
    const key = request.get('X-Service-Key');
    if (!key) throw new ProblemError('missing_api_key');
    const identity = await identify(key, callerAddress(request));
    if (!identity.caller) {
      const { refusal, keyId } = identity;
      locals.logged = { ...locals.logged, key_refusal: refusal, ...(keyId !== undefined && { key_id: keyId }) };
      throw new ProblemError('invalid_api_key');
    }
    locals.caller = identity.caller;
    locals.scopes = identity.scopes;
    next();
  };
}
