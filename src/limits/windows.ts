import type { Logger } from 'pino';
import { limits } from '../../generated/spec.js';
import type { Quotas } from '../config/config.js';
import { createWindowLimit, type WindowLimit } from './window-limit.js';

/** A rate limit with its warnings. Closing it closes its Redis connection, if it has one. */
export interface Window {
  readonly count: WindowLimit;
  /** Warnings for the operator. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

export interface WindowParts {
  readonly quotas: Quotas;
  /** URL of the Redis in which all processes share their counts. If absent, each process counts separately. */
  readonly redisUrl: string | undefined;
  readonly log: Logger;
}

/** Opens the limit of requests per session: `count(accountId, sessionId)`. */
export function openSessionRequestWindow(parts: WindowParts): Promise<Window> {
  return openWindow(limits.session_requests, parts.quotas.sessionRequests, parts);
}

/** Opens the limit of new sessions per key: `count(accountId, keyId)`. */
export function openNewSessionWindow(parts: WindowParts): Promise<Window> {
  return openWindow(limits.new_sessions, parts.quotas.newSessions, parts);
}

type WindowPolicy = typeof limits.session_requests | typeof limits.new_sessions;

async function openWindow(
  { policy, window_seconds }: WindowPolicy,
  quota: number,
  { redisUrl, log }: WindowParts,
): Promise<Window> {
  const isShared = redisUrl !== undefined && quota > 0;
  // Imported only if needed, because the client uses 7 MB of memory.
  const redis = isShared
    ? (await import('./redis.js')).connectRedis(redisUrl, log.child({ limit: policy }))
    : undefined;
  const isMissing = redis !== undefined && !(await redis.isAvailable());
  return {
    count: createWindowLimit({ policy, quota, windowSeconds: window_seconds }, redis),
    warnings: isMissing
      ? ['REDIS_URL: Redis does not respond; each process counts separately until Redis responds']
      : [],
    async close() {
      redis?.close();
    },
  };
}
