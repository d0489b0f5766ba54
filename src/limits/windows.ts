import type { Logger } from 'pino';
import { limits } from '../../generated/spec.js';
import type { Quotas } from '../config.js';
import { createWindowLimit, type WindowLimit } from './window-limit.js';

/** The limits that count in windows of time. */
export interface Windows {
  /** Counts a request that names a session of an account: `(accountId, sessionId)`. */
  readonly sessionRequests: WindowLimit;
  /** Counts a session that a key begins: `(accountId, keyId)`. */
  readonly newSessions: WindowLimit;
  /** What an operator should know. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

export interface WindowsParts {
  readonly quotas: Quotas;
  /** Where all processes count together; without it each counts by itself. */
  readonly redisUrl: string | undefined;
  readonly log: Logger;
}

export async function createWindows({ quotas, redisUrl, log }: WindowsParts): Promise<Windows> {
  // Seven megabytes that most deployments do not need.
  const redis = redisUrl === undefined ? undefined : (await import('./redis.js')).connectRedis(redisUrl, log);
  const isMissing = redis !== undefined && !(await redis.isThere());
  const { session_requests, new_sessions } = limits;
  const window = ({ policy, window_seconds }: typeof session_requests | typeof new_sessions, quota: number) =>
    createWindowLimit({ policy, quota, windowSeconds: window_seconds }, redis);
  return {
    sessionRequests: window(session_requests, quotas.sessionRequests),
    newSessions: window(new_sessions, quotas.newSessions),
    warnings: isMissing ? ['REDIS_URL: Redis does not answer; until it does, each process counts by itself'] : [],
    async close() {
      redis?.close();
    },
  };
}
