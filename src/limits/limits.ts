import type { Logger } from 'pino';
import { limits, tiers } from '../../generated/spec.js';
import type { Quotas } from '../config.js';
import type { Caller } from '../contract.js';
import type { Store } from '../store/store.js';
import { createMonthlyCalls, type MonthlyCalls } from './monthly-calls.js';
import { type AdmitSession, createAdmitSession } from './new-session-limit.js';
import { connectRedis } from './redis.js';
import { createWindowLimit, type WindowLimit } from './window-limit.js';

export interface Limits {
  /** Counts a request that names a session of an account: `(accountId, sessionId)`. */
  readonly sessionRequests: WindowLimit;
  readonly admitSession: AdmitSession;
  readonly monthlyCalls: MonthlyCalls;
  /** What an operator should know. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

export interface LimitsParts {
  readonly quotas: Quotas;
  /** Where all processes count together; without it each counts by itself. */
  readonly redisUrl: string | undefined;
  readonly store: Store;
  readonly now: () => number;
  readonly log: Logger;
}

export async function createLimits({ quotas, redisUrl, store, now, log }: LimitsParts): Promise<Limits> {
  const redis = redisUrl === undefined ? undefined : connectRedis(redisUrl, log);
  const isMissing = redis !== undefined && !(await redis.isThere());
  const { session_requests, new_sessions } = limits;
  const window = ({ policy, window_seconds }: typeof session_requests | typeof new_sessions, quota: number) =>
    createWindowLimit({ policy, quota, windowSeconds: window_seconds }, redis);
  const newSessions = window(new_sessions, quotas.newSessions);
  const monthlyCalls = createMonthlyCalls({ store, quotaOf: quotaBy(quotas.monthlyCalls), now, log });
  return {
    sessionRequests: window(session_requests, quotas.sessionRequests),
    admitSession: createAdmitSession(store, newSessions, quotas.newSessions === 0),
    monthlyCalls,
    warnings: isMissing ? ['REDIS_URL: Redis does not answer; until it does, each process counts by itself'] : [],
    async close() {
      await monthlyCalls.close();
      redis?.close();
    },
  };
}

function quotaBy(monthlyCalls: number | undefined): (caller: Caller) => number | undefined {
  return ({ tier }) => (monthlyCalls ?? tiers[tier].monthly_calls ?? 0) || undefined;
}
