import type { RequestHandler } from 'express';
import { type Allowance, RateLimitError } from '../limits/allowance.js';
import { rateLimitFields } from '../limits/fields.js';
import type { WindowLimit } from '../limits/window-limit.js';
import { sessionOf } from './session-of.js';

/**
 * Applies the limits to each valid request: first the monthly quota of the account, then the rate limit of the session.
 */
export function limit(sessionRequests: WindowLimit): RequestHandler {
  return async (request, response, next) => {
    const { route, caller, call, allowances } = response.locals;
    const take = (allowance: Allowance | undefined) => {
      if (allowance?.isExceeded) throw new RateLimitError(allowance);
      if (allowance) allowances.push(allowance);
    };
    if (route && caller) {
      // A tool call has no call of its own: that of its request at `/mcp` is admitted.
      take(await call?.admit());
      const sessionId = sessionOf(request, route);
      if (sessionId !== undefined) take(await sessionRequests(caller.accountId, sessionId));
      response.set(rateLimitFields(allowances));
    }
    next();
  };
}
