import { limits, problems } from '../../generated/spec.js';
import { createConcurrencyLimit, shareOfAccount } from '../limits/concurrency-limit.js';
import { rateLimitFields } from '../limits/allowance.js';
import type { MonthlyCalls } from '../limits/monthly-calls.js';
import type { WindowLimit } from '../limits/window-limit.js';
import { ProblemError } from '../contract/problem.js';
import { takeAllowance } from '../readings/intake.js';
import type { Middleware } from './in-order.js';
import { whenSettled, whenWritten } from './responses.js';

const unavailable = String(problems.service_unavailable.status);

export interface Admission {
  /** True from the first moment of a shutdown. Requests are still served. */
  readonly isLeaving: () => boolean;
  /** True when the service accepts no further requests. */
  readonly isClosing: () => boolean;
  /** Maximum number of requests in flight. Further requests are rejected, so that memory stays bounded. */
  readonly inFlightMax: number;
}

/**
 * Rejects requests with service_unavailable while the service shuts down or is overloaded. Public
 * operations are rejected only if they document this error in the contract. The liveness check is therefore always
 * served.
 */
export function admit({ isLeaving, isClosing, inFlightMax }: Admission): Middleware {
  let inFlight = 0;
  return (_request, response, next) => {
    inFlight += 1;
    whenWritten(response, () => (inFlight -= 1));
    const { isPublic, route } = response.locals;
    const isEnding = isClosing() || (isLeaving() && route?.record.reportsReadiness);
    const cause = isEnding ? 'closing' : inFlight > inFlightMax ? 'overloaded' : undefined;
    // Moves clients with persistent connections to another process before the listener closes.
    if (isLeaving()) response.set('Connection', 'close');
    const isRefusable = !isPublic || route?.statuses.includes(unavailable);
    next(cause && isRefusable ? new ProblemError('service_unavailable', { cause }) : undefined);
  };
}

/** Counts every authenticated request with any status, except requests that a limit rejected. */
export function countCalls(calls: MonthlyCalls): Middleware {
  return (_request, response, next) => {
    const { locals } = response;
    if (locals.caller) {
      const call = calls.begin(locals.caller);
      locals.call = call;
      whenSettled(response, () => call.end(response.statusCode === problems.rate_limit_exceeded.status));
    }
    next();
  };
}

/** Rejects a request if the account already has half of the maximum number of requests in flight. */
export function admitAccount({ inFlightMax }: Admission): Middleware {
  const { policy, refused_retry_seconds: resetSeconds } = limits.requests;
  const begin = createConcurrencyLimit({ policy, quota: shareOfAccount(inFlightMax), resetSeconds });
  return (_request, response, next) => {
    const { caller } = response.locals;
    if (caller) whenWritten(response, begin(caller.accountId));
    next();
  };
}

/** Rejects a session token on a request for another session. Runs after the validation of the request. */
export const requireOwnSession: Middleware = ({ query, body }, { locals: { token, route } }, next) => {
  if (token && route?.record.nameSession?.(query, token.sessionId, body) !== token.sessionId)
    throw new ProblemError('invalid_token', { cause: 'not valid for this session' });
  next();
};

/**
 * Applies the limits to each valid request: first the monthly quota of the account, then the rate limit of the session.
 */
export function limitRequests(sessionRequests: WindowLimit): Middleware {
  return async ({ query, body }, response, next) => {
    const { route, caller, call, token, allowances } = response.locals;
    if (!route || !caller) throw new Error('limits require a caller');
    // `call` is undefined in a tool call, because the request at `/mcp` is already counted.
    takeAllowance(await call?.admit(), allowances);
    const { countsPerSession, nameSession } = route.record;
    const sessionId = countsPerSession && nameSession?.(query, token?.sessionId, body);
    if (sessionId !== undefined) takeAllowance(await sessionRequests(caller.accountId, sessionId), allowances);
    response.set(rateLimitFields(allowances));
    next();
  };
}
