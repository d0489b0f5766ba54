import type { Request, Response } from 'express';
import { decodeProtectedHeader } from 'jose';
import { limits, operationScopes, problems, sources } from '../../generated/spec.js';
import type { Scope } from '../contract/contract.js';
import {
  type Grant,
  type GrantKind,
  type IdentifyByKind,
  type Identity,
  isBeforeErasure,
  isToken,
  type Refused,
} from '../contract/grant.js';
import { createHint, ProblemError } from '../contract/problem.js';
import { readWhose, toWhoseKey } from '../contract/whose.js';
import type { FailureLimit } from '../limits/failure-limit.js';
import type { MonthlyCalls } from '../limits/monthly-calls.js';
import {
  computeAccountShare,
  countRequest,
  createConcurrencyLimit,
  RateLimitError,
  type WindowLimit,
} from '../limits/window-limit.js';
import { isGranted } from '../view/grant.js';
import { type Exchange, requireCaller, type Route, type Step } from './exchange.js';
import { whenSettled, whenWritten } from './messages.js';

const unavailable = String(problems.service_unavailable.status);
const unauthorized = problems.invalid_signature.status;
/** A source key, or the id of a connection of a hub, which is no secret. */
const allowedInUrl = new RegExp(`^(${sources.key_prefix}|srk_)`);
/** A service key or a token. */
const forbiddenInUrl = /^(sk_|eyJ)/;
/** As `generateKey` writes it. */
const keyFormat = /^sk_[0-9A-Za-z]{32}$/;

export interface Admission {
  /** True from the first moment of a shutdown. Requests are still served. */
  readonly isLeaving: () => boolean;
  /** True when the service accepts no further requests. */
  readonly isClosing: () => boolean;
  /** Resolves with the cause if the process is not ready. Responds within two seconds. */
  readonly checkReadiness: () => Promise<{ readonly cause: string | undefined }>;
  /** Maximum number of requests in flight. Further requests are rejected, so that memory stays bounded. */
  readonly inFlightMax: number;
}

/** Admits an HTTP request, before the steps of its operation. Throws a ProblemError to reject it. */
type AdmitResponse = (exchange: Exchange, response: Response) => void;

/**
 * Rejects requests with service_unavailable while the service shuts down or is overloaded. Public
 * operations are rejected only if they document this error in the contract. The liveness check is therefore always
 * served.
 */
export function createAdmit({ isLeaving, isClosing, inFlightMax }: Admission): AdmitResponse {
  let inFlight = 0;
  return ({ isPublic, route }, response) => {
    inFlight += 1;
    whenWritten(response, () => (inFlight -= 1));
    const cause = isClosing() ? 'closing' : inFlight > inFlightMax ? 'overloaded' : undefined;
    // Moves clients with persistent connections to another process before the listener closes.
    if (isLeaving()) response.set('Connection', 'close');
    const isRefusable = !isPublic || route?.statuses.includes(unavailable);
    if (cause && isRefusable) throw createUnavailable(cause, route?.record.reportsReadiness);
  };
}

/** Returns the error of a request that is not served now. Only the readiness check names the cause to the client. */
function createUnavailable(cause: string, isNamed: boolean | undefined): ProblemError {
  return new ProblemError('service_unavailable', { cause, ...(isNamed && { explanation: { cause } }) });
}

/** Rejects the readiness check with the cause if the process is not ready. */
export function requireReady({ checkReadiness }: Admission): Step {
  return async () => {
    const { cause } = await checkReadiness();
    if (cause !== undefined) throw createUnavailable(cause, true);
  };
}

const requiredScopes: Readonly<Record<string, Scope>> = operationScopes;

/** A credential of a request. */
interface Credential {
  readonly kind: GrantKind;
  readonly text: string;
}

export type Authenticate = (exchange: Exchange, request: Request, cookie?: string) => Promise<Grant>;

/**
 * Returns the function that reads the grant of every request, before its body and also on unknown paths, and sets it as the
 * caller. With a cookie of a person's page, no other credential counts.
 */
export function createAuthenticate(identify: IdentifyByKind): Authenticate {
  return async (exchange, request, cookie) => {
    // Behind trusted proxies (TRUST_PROXY), `ip` is the address in X-Forwarded-For.
    exchange.address = request.ip;
    const link = cookie === undefined ? undefined : ({ kind: 'link', text: cookie } as const);
    const { kind, text } = link ?? findCredential(exchange, identify.oauth !== undefined);
    const identity: Identity = (await identify[kind]?.(text, exchange.address)) ?? { refusal: 'unknown' };
    if (!identity.grant) throw refusals[kind](exchange, text, identity);
    if (kind === 'session') requireTokenOperation(exchange, identity.grant);
    exchange.caller = identity.grant;
    return identity.grant;
  };
}

/** The error of a credential that is not valid. */
const refusals: Readonly<Record<GrantKind, (exchange: Exchange, text: string, refused: Refused) => ProblemError>> = {
  key(exchange, key, { refusal, keyId }) {
    exchange.logged = { ...exchange.logged, key_refusal: refusal, ...(keyId !== undefined && { key_id: keyId }) };
    return new ProblemError('invalid_api_key', { hint: findKeyHint(key) });
  },
  session: (_exchange, _token, { refusal }) => new ProblemError('invalid_token', { cause: refusal }),
  oauth: (_exchange, _token, { refusal }) => new ProblemError('invalid_token', { cause: refusal }),
  link: () => new ProblemError('invalid_link'),
  source: () => new ProblemError('invalid_source_key'),
};

/** Rejects a session token on a path that takes none, and without the scope of the operation. */
function requireTokenOperation({ route }: Exchange, { scopes }: Grant): void {
  const scope = route && requiredScopes[route.operationId];
  if (!route?.acceptsToken || !scope || !scopes.includes(scope))
    throw new ProblemError('invalid_token', { cause: 'not valid for this operation' });
}

/** Returns the credential that counts. Its place and its form decide about its kind. Throws a ProblemError without one. */
function findCredential(exchange: Exchange, hasOAuth: boolean): Credential {
  const { headers, query, route } = exchange;
  if (route?.record.takes === 'source') return { kind: 'source', text: findSourceKey(exchange) };
  const key = headers['x-service-key'] as string | undefined;
  if (key) return { kind: 'key', text: key };
  const bearer = findBearer(headers);
  // Access tokens are all that is neither a key, nor a source key, nor a session token of this service.
  if (hasOAuth && bearer !== undefined && !/^(sk|wk)_/.test(bearer) && !isSessionToken(bearer))
    return { kind: 'oauth', text: bearer };
  const { access_token: inQuery } = query as Readonly<Record<string, unknown>>;
  if (route?.record.takesTokenInQuery && typeof inQuery === 'string') return { kind: 'session', text: inQuery };
  // A key in the Authorization header is not a token: the error names the correct header.
  if (bearer !== undefined && !bearer.startsWith('sk_')) return { kind: 'session', text: bearer };
  const hint = createHint('send_key');
  throw new ProblemError('missing_api_key', { hint, ...(headers.authorization && { explanation: {} }) });
}

function findBearer({ authorization = '' }: Exchange['headers']): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1];
}

function isSessionToken(token: string): boolean {
  try {
    return decodeProtectedHeader(token).typ === 'session+jwt';
  } catch {
    return false;
  }
}

/** Returns the next step for a key that is not valid. Its form decides, so that the response reveals no key. */
function findKeyHint(key: string): string {
  if (key.startsWith(sources.key_prefix)) return createHint('source_key');
  if (key.startsWith('eyJ')) return createHint('token_as_key');
  return createHint(keyFormat.test(key) ? 'check_key' : 'key_form');
}

/**
 * Returns the source key of a request, and removes it from the query. Throws a ProblemError if there is none, if there are
 * several credentials, or for another credential in the URL.
 */
function findSourceKey(exchange: Exchange): string {
  const { key: inQuery = [], ...query } = exchange.query as Readonly<Record<string, string | string[]>>;
  exchange.query = query;
  const inUrl = [inQuery].flat();
  const all = [exchange.headers['x-service-key'], findBearer(exchange.headers), inUrl].flat();
  const [key, ...more] = all.filter((it) => it !== undefined && it !== '');
  if (key === undefined) throw new ProblemError('missing_source_key');
  if (more.length > 0) throw new ProblemError('several_credentials');
  const isInUrl = inUrl.includes(key);
  if (isInUrl && forbiddenInUrl.test(key)) throw new ProblemError('credential_in_url');
  if (isInUrl && !allowedInUrl.test(key)) throw new ProblemError('missing_source_key', { explanation: {} });
  return key;
}

/**
 * Counts a failed authentication and returns the error to send: a 429 for an address with too many failures. Runs after
 * the credentials are checked, so that valid credentials are accepted even from an address with many failures.
 *
 * The response does not contain the reason why a token is invalid, because the reason would help a thief. Only the log
 * line of the request contains the reason.
 */
export function countRefusal(problem: ProblemError, exchange: Exchange, countFailure: FailureLimit): ProblemError {
  if (problem.code === 'invalid_token')
    exchange.logged = { ...exchange.logged, token_refusal: String(problem.cause ?? 'not valid for this subject') };
  const allowance = countFailure(exchange.address);
  return allowance?.isExceeded ? new RateLimitError(allowance) : problem;
}

/**
 * Counts every authenticated request with any status, except requests that a limit rejected. Rejects a request if the
 * account already has half of the maximum number of requests in flight.
 */
export function createAdmitAccount(calls: MonthlyCalls, { inFlightMax }: Admission): AdmitResponse {
  const { policy, refused_retry_seconds: resetSeconds } = limits.requests;
  const begin = createConcurrencyLimit({ policy, quota: computeAccountShare(inFlightMax), resetSeconds });
  return (exchange, response) => {
    const caller = requireCaller(exchange);
    const call = calls.begin(caller);
    exchange.call = call;
    whenSettled(response, () => call.end(isUncounted(response.statusCode, caller)));
    whenWritten(response, begin(caller.accountId));
  };
}

/** A body of a hub without a valid signature is not authenticated, so it is no call. */
function isUncounted(status: number, { kind }: Grant): boolean {
  return status === problems.rate_limit_exceeded.status || (kind === 'source' && status === unauthorized);
}

/** Rejects a key without the scope of the operation (403). The error names the scope. */
export function requireScope({ operationId }: Route): Step {
  const scope = requiredScopes[operationId];
  return ({ caller }) => {
    if (scope !== undefined && !caller?.scopes.includes(scope))
      throw new ProblemError('insufficient_scope', { values: { scope } });
  };
}

/** Returns the time of the newest erasure of a person, in epoch ms. 0 if there is none. */
export type FindErased = (accountId: string, subjectId: string) => Promise<number>;

/** Finds whose data the path, the query or the body of a valid request names. */
export const findWhose: Step = (exchange) => {
  const { params, query, body, caller } = exchange;
  exchange.whose = readWhose({ ...(body as object | undefined), ...query, ...params }, caller?.sessionId);
};

/**
 * Rejects a session token on a request for data that it does not grant, or for a person who was erased since the token
 * was issued.
 */
export function requireGrant(findErased: FindErased): Step {
  return async ({ caller, whose }) => {
    if (!caller || !isToken(caller)) return;
    if (!isGranted(caller, whose))
      throw new ProblemError('invalid_token', { cause: `not valid for this ${whose.kind}` });
    if (whose.kind === 'person' && isBeforeErasure(caller, await findErased(caller.accountId, whose.subjectId)))
      throw new ProblemError('invalid_token', { cause: 'issued before an erasure' });
  };
}

/**
 * Applies the limits to each valid request: first the monthly quota of the account, then the rate limit of the session
 * or person that it names.
 */
export function limitRequests(sessionRequests: WindowLimit): Step {
  return async (exchange) => {
    const { call, whose } = exchange;
    const { accountId } = requireCaller(exchange);
    const { allowances, refusal } = await countRequest(
      () => call?.admit(),
      () => (whose.kind === 'account' ? undefined : sessionRequests(accountId, toWhoseKey(whose))),
    );
    exchange.allowances = allowances;
    if (refusal) throw refusal;
  };
}
