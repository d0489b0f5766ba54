import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { limits, tiers } from '../../generated/spec.js';
import type { Quotas } from '../config/config.js';
import type { Caller } from '../contract.js';
import type { UsageTable } from '../store/usage.js';
import { type Allowance, RateLimitError } from './allowance.js';
import { beginMonth, isIdle, type MonthOfAccount, monthOf, secondsLeftOf, totalOf, writeMonths } from './months.js';

/**
 * Time between two rounds that write this process's counts and read the counts of other processes, ms. Below one
 * second, so that limits lag by at most about a second.
 */
const writeEveryMs = 500;

/** One call of an account, from authentication to response. */
export interface Call {
  /**
   * Counts the call against the month. Resolves with undefined for an unlimited account. Rejects with RateLimitError
   * when the quota is exceeded.
   */
  admit(): Promise<Allowance | undefined>;
  /** Ends the call after its response. A call that a limit rejected does not count. Must be called exactly once. */
  end(isRefused: boolean): void;
}

export interface MonthlyCalls {
  begin(caller: Caller): Call;
  /** Writes the remaining counts. Resolves even if the database is unavailable. */
  close(): Promise<void>;
}

export interface MonthlyCallsParts {
  readonly usage: UsageTable;
  /** Returns the calls per month. Undefined means unlimited. Unlimited calls are still counted. */
  readonly quotaOf: (caller: Caller) => number | undefined;
  readonly now: () => number;
  readonly log: Logger;
}

/** Returns a function that returns the deployment's quota if it is set, otherwise the quota of the tier. */
export function monthlyQuotaBy({ monthlyCalls }: Quotas): MonthlyCallsParts['quotaOf'] {
  return ({ tier }) => (monthlyCalls ?? tiers[tier].monthly_calls ?? 0) || undefined;
}

/**
 * Counts calls in memory and adds them to the database. The database shares the totals between processes and keeps them
 * across restarts. While it is unavailable, counts stay in memory, and the limits use the last known total.
 */
export function createMonthlyCalls(parts: MonthlyCallsParts): MonthlyCalls {
  const { usage, quotaOf, now, log } = parts;
  const months = new Map<string, MonthOfAccount>();
  const stop = new AbortController();
  const writing = writePeriodically(months, usage, log, stop.signal);

  return {
    begin(caller) {
      const month = monthOf(now());
      const name = `${caller.accountId} ${month}`;
      const entry = months.get(name) ?? beginMonth(caller.accountId, month);
      months.set(name, entry);
      entry.idleRounds = 0;
      return callOf(entry, quotaOf(caller), usage, now);
    },
    async close() {
      stop.abort();
      await writing;
      await writeMonths(months.values(), usage);
      const lost = [...months.values()].reduce((sum, { completed }) => sum + completed, 0);
      if (lost > 0) log.warn({ calls: lost }, 'monthly call counts lost: the database was unavailable at shutdown');
    },
  };
}

function callOf(entry: MonthOfAccount, quota: number | undefined, usage: UsageTable, now: () => number): Call {
  let isAdmitted = false;
  entry.inFlight += 1;
  return {
    async admit() {
      if (quota !== undefined) await loadTotal(entry, usage);
      const total = totalOf(entry);
      const isExceeded = quota !== undefined && total >= quota;
      if (!isExceeded) {
        isAdmitted = true;
        entry.admitted += 1;
      }
      if (quota === undefined) return undefined;
      const remaining = Math.max(0, quota - totalOf(entry));
      const allowance = { policy: limits.monthly.policy, quota, remaining, resetSeconds: secondsLeftOf(now()) };
      if (isExceeded) throw new RateLimitError({ ...allowance, isExceeded });
      return { ...allowance, isExceeded };
    },
    end(isRefused) {
      entry.inFlight -= 1;
      if (isAdmitted) entry.admitted -= 1;
      if (!isRefused) entry.completed += 1;
    },
  };
}

/** Loads the total from the database. Concurrent calls share one query. */
async function loadTotal(entry: MonthOfAccount, usage: UsageTable): Promise<void> {
  if (entry.stored !== undefined) return;
  const { accountId, month } = entry;
  entry.loading ??= usage.totalsOf([{ accountId, month }]).then(([total = 0]) => {
    entry.stored ??= total;
  });
  try {
    await entry.loading;
  } finally {
    entry.loading = undefined;
  }
}

async function writePeriodically(
  months: Map<string, MonthOfAccount>,
  usage: UsageTable,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  let isFailing = false;
  while (!signal.aborted) {
    await sleep(writeEveryMs, undefined, { signal, ref: false }).catch(() => undefined);
    const error = await writeMonths(months.values(), usage);
    if (error && !isFailing) log.warn({ err: error }, 'monthly call counts not written: retried every half second');
    isFailing = error !== undefined;
    for (const [name, entry] of months) if (isIdle(entry)) months.delete(name);
  }
}
