import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import { type limits, sources } from '../../generated/spec.js';
import type { Schema } from '../contract/contract.js';
import { ProblemError } from '../contract/problem.js';
import type { SharedCounter, WindowCount } from './redis.js';

const silent = 'REDIS_URL: Redis does not respond; each process counts separately until Redis responds';

/**
 * Opens the limit of requests per session (`count(accountId, sessionId)`) and of reads per person (`count(accountId,
 * 'person', subjectId)`), or of new sessions per key, person or client of OAuth. All processes with the same Redis share
 * their counts.
 */
export async function openWindow(
  { policy, window_seconds: windowSeconds }: typeof limits.session_requests | typeof limits.new_sessions,
  quota: number,
  parts: WindowParts,
) {
  const redis = quota > 0 ? await connect(policy, parts) : undefined;
  const isMissing = redis !== undefined && !(await redis.isAvailable());
  return {
    count: createWindowLimit({ policy, quota, windowSeconds }, redis),
    /** Returns a limit with another quota, which must count other names. */
    withQuota: (other: number) => createWindowLimit({ policy, quota: other, windowSeconds }, redis),
    /** Warnings for the operator. */
    warnings: isMissing ? [silent] : [],
    /** Closes the connection to Redis, if there is one. */
    close: async () => redis?.close(),
  };
}

interface WindowParts {
  readonly redisUrl: string | undefined;
  readonly log: Logger;
}

/** Connects to Redis if there is one. Imported only if needed, because the client uses 7 MB of memory. */
async function connect(limit: string, { redisUrl, log }: WindowParts): Promise<SharedCounter | undefined> {
  return redisUrl === undefined ? undefined : (await import('./redis.js')).connectRedis(redisUrl, log.child({ limit }));
}

/**
 * Opens the limit of readings that sources store of a person: `count(stored, accountId, subjectId)` resolves with the number
 * of readings that are left. All processes with the same Redis share it.
 */
export async function openStoredReadings(parts: WindowParts) {
  const { quota, window_seconds: windowSeconds } = sources.stored_readings;
  const redis = await connect('source-readings', parts);
  await redis?.isAvailable();
  const count = createCounter('source-readings', windowSeconds, redis);
  return {
    count: async (stored: number, ...name: readonly string[]) => Math.max(0, quota - (await count(stored, name)).count),
    close: async () => redis?.close(),
  };
}

/**
 * Counts a request in the window of `name`. The window starts with its first request and has a fixed length. Resolves
 * with the allowance, or with undefined when unlimited.
 */
export type WindowLimit = (...name: readonly string[]) => Promise<Allowance | undefined>;

/**
 * Creates a limit that counts in memory, or in a counter that all processes share. While the shared counter is
 * unavailable, each process continues in memory from the last known count. No process therefore exceeds the quota.
 */
export function createWindowLimit({ policy, quota, windowSeconds }: Window, shared?: SharedCounter): WindowLimit {
  if (quota === 0) return async () => undefined;
  const countOne = createCounter(policy, windowSeconds, shared);
  return async (...name) => {
    const { count, leftMs } = await countOne(1, name);
    return toAllowance({ policy, quota, windowSeconds }, count, leftMs);
  };
}

function createCounter(policy: string, windowSeconds: number, shared?: SharedCounter) {
  const memory = createMemoryWindows(windowSeconds * 1000);
  if (!shared) return async (requests: number, name: readonly string[]) => memory.count(name.join(' '), requests);
  return async (requests: number, name: readonly string[]): Promise<WindowCount> => {
    const key = keyOf(policy, name);
    const counted = await shared.count(key, windowSeconds * 1000, requests);
    if (counted) memory.set(key, counted);
    return counted ?? memory.count(key, requests);
  };
}

interface MemoryWindow {
  count: number;
  readonly endsAtMs: number;
}

/** Whole ms, because `nowMs + windowMs - nowMs` of fractions can exceed the window, which then resets one second later. */
const readNowMs = () => Math.floor(performance.now());

/** Counts in memory, without a timer per window. Once per window length, the windows that have ended are removed. */
function createMemoryWindows(windowMs: number) {
  const windows = new Map<string, MemoryWindow>();
  let removeAtMs = 0;
  const removeEnded = (nowMs: number) => {
    for (const [key, { endsAtMs }] of windows) if (endsAtMs <= nowMs) windows.delete(key);
    removeAtMs = nowMs + windowMs;
  };
  return {
    count(key: string, requests: number): WindowCount {
      const nowMs = readNowMs();
      if (nowMs >= removeAtMs) removeEnded(nowMs);
      let window = windows.get(key);
      if (!window || window.endsAtMs <= nowMs) windows.set(key, (window = { count: 0, endsAtMs: nowMs + windowMs }));
      window.count += requests;
      return { count: window.count, leftMs: window.endsAtMs - nowMs };
    },
    set: (key: string, { count, leftMs }: WindowCount) =>
      void windows.set(key, { count, endsAtMs: readNowMs() + leftMs }),
  };
}

/** Returns the allowance of a window that has counted `count` requests and ends in `leftMs` ms. */
export function toAllowance(window: Window, count: number, leftMs: number): Allowance {
  const remaining = Math.max(0, window.quota - count);
  const resetSeconds = Math.max(1, Math.ceil(leftMs / 1000));
  return { ...window, remaining, resetSeconds, isExceeded: count > window.quota };
}

/**
 * Returns a hash, so that ids of people are not copied to Redis. The joined text is unambiguous, because ids contain no
 * spaces.
 */
function keyOf(policy: string, name: readonly string[]): string {
  return `state-service:${policy}:${hash('sha256', name.join(' '), 'base64url').slice(0, 22)}`;
}

export type LimitPolicy = Schema<'LimitPolicy'>;

type Window = Pick<Allowance, 'policy' | 'quota'> & { readonly windowSeconds: number };

/** The state of one limit after a request was counted. */
export interface Allowance {
  readonly policy: LimitPolicy;
  readonly quota: number;
  /** Length of the window. Absent for a calendar month. */
  readonly windowSeconds?: number;
  /** Number of further requests that the window allows. */
  readonly remaining: number;
  /** Seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
  /** True when this request exceeded the quota. */
  readonly isExceeded: boolean;
}

export class RateLimitError extends ProblemError {
  readonly exceeded: Allowance;

  constructor(exceeded: Allowance) {
    super('rate_limit_exceeded');
    this.exceeded = exceeded;
  }

  override toBody(requestId: string): Schema<'RateLimitProblem'> {
    return { ...super.toBody(requestId), violated_policies: [this.exceeded.policy] };
  }
}

/**
 * Counts a request against limits in order, until one of them rejects it. Resolves with the limits that admitted it, and
 * with the error of the one that did not.
 */
export async function countRequest(...counts: ReadonlyArray<() => Promise<Allowance | undefined> | undefined>) {
  const allowances: Allowance[] = [];
  for (const count of counts) {
    const allowance = await count();
    if (allowance?.isExceeded) return { allowances, refusal: new RateLimitError(allowance) };
    if (allowance) allowances.push(allowance);
  }
  return { allowances };
}

/**
 * Returns the RateLimit header fields of draft-ietf-httpapi-ratelimit-headers-11 as lists of structured field items,
 * the most general limit first. Returns no fields when no limit applies.
 */
export function toRateLimitFields(allowances: readonly Allowance[]): Record<string, string> {
  if (allowances.length === 0) return {};
  return {
    'RateLimit-Policy': allowances.map(policyItem).join(', '),
    RateLimit: allowances
      .map(({ policy, remaining, resetSeconds }) => `"${policy}";r=${remaining};t=${resetSeconds}`)
      .join(', '),
  };
}

function policyItem({ policy, quota, windowSeconds }: Allowance): string {
  return `"${policy}";q=${quota}${windowSeconds === undefined ? '' : `;w=${windowSeconds}`}`;
}

type Concurrency = Pick<Allowance, 'policy' | 'quota' | 'resetSeconds'>;

/** Returns the error of an entry above the quota of concurrent ones. */
export function createConcurrencyError(limit: Concurrency): RateLimitError {
  return new RateLimitError({ ...limit, remaining: 0, isExceeded: true });
}

/**
 * Limits the number of concurrent entries per account or key. A quota of 0 means unlimited. Returns a function that adds
 * an entry, and returns a function that removes it. It throws a RateLimitError if the quota is reached.
 */
export function createConcurrencyLimit(limit: Concurrency) {
  const { quota } = limit;
  const open = new Map<string, number>();
  return (id: string): (() => void) => {
    const count = open.get(id) ?? 0;
    if (quota > 0 && count >= quota) throw createConcurrencyError(limit);
    open.set(id, count + 1);
    return () => {
      const left = (open.get(id) ?? 0) - 1;
      if (left > 0) open.set(id, left);
      else open.delete(id);
    };
  };
}

/** Returns the largest share of a process's capacity that one account may use: half of it, but at least one. */
export function computeAccountShare(capacity: number): number {
  return Math.max(1, Math.floor(capacity / 2));
}
