import type { UsageTable } from '../store/usage.js';

/**
 * Number of write rounds without a call after which an account's month is dropped from memory. The database keeps the
 * month.
 */
const idleRoundsMax = 120;
/** Maximum number of accounts per transaction, so that transactions stay short. */
const batchMax = 200;

/** The calls of one account in one month, as known to this process. */
export interface MonthOfAccount {
  readonly accountId: string;
  readonly month: string;
  /** The total in the database when it was last read or written. Undefined before the first read. */
  stored: number | undefined;
  /** The query in progress that loads `stored`. */
  loading: Promise<void> | undefined;
  /** Completed calls that are not yet in `stored`. */
  completed: number;
  /** Admitted calls that are in flight. */
  admitted: number;
  /** All calls in flight, admitted or not. */
  inFlight: number;
  /** Number of write rounds since the last call. */
  idleRounds: number;
}

export function beginMonth(accountId: string, month: string): MonthOfAccount {
  const nothing = { completed: 0, admitted: 0, inFlight: 0, idleRounds: 0 };
  return { accountId, month, stored: undefined, loading: undefined, ...nothing };
}

export function totalOf({ stored = 0, completed, admitted }: MonthOfAccount): number {
  return stored + completed + admitted;
}

export function isIdle({ completed, inFlight, idleRounds }: MonthOfAccount): boolean {
  return completed === 0 && inFlight === 0 && idleRounds > idleRoundsMax;
}

/** Returns the UTC calendar month of a timestamp (epoch ms), e.g. `2026-11`. */
export function monthOf(nowMs: number): string {
  const now = new Date(nowMs);
  return `${now.getUTCFullYear()}-${String(now.getUTCMonth() + 1).padStart(2, '0')}`;
}

/** Returns the seconds until the next month starts, at least 1. */
export function secondsLeftOf(nowMs: number): number {
  const now = new Date(nowMs);
  const nextMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
  return Math.max(1, Math.ceil((nextMs - nowMs) / 1000));
}

/**
 * Adds the calls since the last round to the database and reads the totals of all processes. Resolves with the error of
 * a failed write. The next round then writes the same counts again.
 */
export async function writeMonths(months: Iterable<MonthOfAccount>, usage: UsageTable): Promise<unknown> {
  const all = [...months];
  const due = all.filter(({ completed, idleRounds, loading }) => (completed > 0 || idleRounds === 0) && !loading);
  for (const it of all) it.idleRounds += 1;
  for (let from = 0; from < due.length; from += batchMax) {
    const error = await write(due.slice(from, from + batchMax), usage);
    if (error) return error;
  }
  return undefined;
}

async function write(due: readonly MonthOfAccount[], usage: UsageTable): Promise<unknown> {
  const usages = due.map(({ accountId, month, completed: calls }) => ({ accountId, month, calls }));
  try {
    const totals = await usage.add(usages);
    for (const [index, it] of due.entries()) {
      it.stored = totals[index] ?? 0;
      // Subtracts only the written calls, because further calls may have completed during the write.
      it.completed -= usages[index]?.calls ?? 0;
    }
    return undefined;
  } catch (error) {
    return error;
  }
}
