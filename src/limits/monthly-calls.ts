import type { Logger } from 'pino';
import { limits, tiers } from '../../generated/spec.js';
import type { Quotas } from '../config/config.js';
import type { Grant } from '../contract/grant.js';
import { repeat } from '../store/repeat.js';
import { chunksOf } from '../store/rows.js';
import type { UsageTable } from '../store/usage.js';
import type { LoadSums } from './load-sums.js';
import type { Allowance } from './window-limit.js';

/**
 * Time between two rounds that write this process's counts and read the counts of other processes, in ms. Below one
 * second, so that limits lag by at most about a second.
 */
const writeEveryMs = 500;
/**
 * Number of write rounds without a call after which an account's month is dropped from memory. The database keeps the
 * month.
 */
const idleRoundsMax = 120;
/** Number of write rounds per write of the load of accounts: one minute. */
const loadRounds = 120;
/** Maximum number of accounts per transaction, so that transactions stay short. */
const batchMax = 200;

export type MonthlyCalls = ReturnType<typeof createMonthlyCalls>;
/** One call of an account, from authentication to response. */
export type CountedCall = ReturnType<typeof startCall>;

export interface MonthlyCallsParts {
  readonly usage: UsageTable;
  /** Returns the calls per month. Undefined means unlimited. Unlimited calls are still counted. */
  readonly quotaOf: (caller: Grant) => number | undefined;
  readonly now: () => number;
  readonly log: Logger;
  /** Counts the load of accounts. Gets the written calls. */
  readonly load: LoadSums;
  /** Writes the load since the last call. */
  readonly writeLoad: () => Promise<void>;
}

/** The calls of one account in one month, as known to this process. */
interface MonthOfAccount {
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

/** Returns a function that returns the deployment's quota if it is set, otherwise the quota of the tier. */
export function createQuotaReader({ monthlyCalls }: Quotas): MonthlyCallsParts['quotaOf'] {
  return ({ tier }) => (monthlyCalls ?? tiers[tier].monthly_calls ?? 0) || undefined;
}

/** The counts of a month without calls. */
const nothing = { loading: undefined, completed: 0, admitted: 0, inFlight: 0, idleRounds: 0 };

/**
 * Counts calls in memory and adds them to the database. The database shares the totals between processes and keeps them
 * across restarts. While it is unavailable, counts stay in memory, and the limits use the last known total.
 */
export function createMonthlyCalls({ usage, quotaOf, now, log, load, writeLoad }: MonthlyCallsParts) {
  let rounds = 0;
  const months = new Map<string, MonthOfAccount>();
  const writing = repeat({
    everyMs: writeEveryMs,
    async work() {
      await writeMonths(months.values(), usage, load);
      for (const [name, entry] of months) if (isIdle(entry)) months.delete(name);
      rounds += 1;
      if (rounds % loadRounds === 0) await writeLoad();
    },
    onFailure: (err) => log.warn({ err }, 'monthly call counts or load not written: retried'),
  });

  return {
    begin(caller: Grant): CountedCall {
      const month = toMonth(now());
      const name = `${caller.accountId} ${month}`;
      const entry = months.get(name) ?? { accountId: caller.accountId, month, stored: undefined, ...nothing };
      months.set(name, entry);
      entry.idleRounds = 0;
      return startCall(entry, quotaOf(caller), usage, now);
    },
    /** Writes the remaining counts. Resolves even if the database is unavailable. */
    async close(): Promise<void> {
      await writing.close();
      await writeMonths(months.values(), usage, load).catch(() => undefined);
      await writeLoad().catch(() => undefined);
      const lost = [...months.values()].reduce((sum, { completed }) => sum + completed, 0);
      if (lost > 0) log.warn({ calls: lost }, 'monthly call counts lost: the database was unavailable at shutdown');
    },
  };
}

function startCall(entry: MonthOfAccount, quota: number | undefined, usage: UsageTable, now: () => number) {
  let isAdmitted = false;
  entry.inFlight += 1;
  return {
    /**
     * Counts the call against the month, unless the quota is exceeded. Resolves with undefined for an unlimited account.
     */
    async admit(): Promise<Allowance | undefined> {
      if (quota !== undefined) await loadTotal(entry, usage);
      const total = findTotal(entry);
      const isExceeded = quota !== undefined && total >= quota;
      if (!isExceeded) {
        isAdmitted = true;
        entry.admitted += 1;
      }
      if (quota === undefined) return undefined;
      const remaining = Math.max(0, quota - findTotal(entry));
      const resetSeconds = countSecondsLeft(now());
      return { policy: limits.monthly.policy, quota, remaining, resetSeconds, isExceeded };
    },
    /** Ends the call after its response. A call that a limit rejected does not count. Must be called exactly once. */
    end(isRefused: boolean): void {
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

function findTotal({ stored = 0, completed, admitted }: MonthOfAccount): number {
  return stored + completed + admitted;
}

function isIdle({ completed, inFlight, idleRounds }: MonthOfAccount): boolean {
  return completed === 0 && inFlight === 0 && idleRounds > idleRoundsMax;
}

/**
 * Adds the calls since the last round to the database and reads the totals of all processes. After a failed write, the
 * next round writes the same counts again.
 */
async function writeMonths(months: Iterable<MonthOfAccount>, usage: UsageTable, load: LoadSums): Promise<void> {
  const all = [...months];
  const due = all.filter(({ completed, idleRounds, loading }) => (completed > 0 || idleRounds === 0) && !loading);
  for (const it of all) it.idleRounds += 1;
  for (const some of chunksOf(due, batchMax)) {
    const usages = some.map(({ accountId, month, completed: calls }) => ({ accountId, month, calls }));
    const totals = await usage.add(usages);
    for (const [index, it] of some.entries()) {
      it.stored = totals[index] ?? 0;
      // Subtracts only the written calls, because further calls may have completed during the write.
      const { calls = 0 } = usages[index] ?? {};
      it.completed -= calls;
      if (calls > 0) load.add(it.accountId, { calls });
    }
  }
}

/** Returns the UTC calendar month of a timestamp (epoch ms), e.g. `2026-11`. */
export function toMonth(nowMs: number): string {
  const now = new Date(nowMs);
  return `${now.getUTCFullYear()}-${String(now.getUTCMonth() + 1).padStart(2, '0')}`;
}

/** Returns the seconds until the next month starts, at least 1. */
export function countSecondsLeft(nowMs: number): number {
  const now = new Date(nowMs);
  const nextMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
  return Math.max(1, Math.ceil((nextMs - nowMs) / 1000));
}
