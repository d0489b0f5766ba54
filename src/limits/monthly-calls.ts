import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { limits, tiers } from '../../generated/spec.js';
import type { Quotas } from '../config.js';
import type { Caller } from '../contract.js';
import type { UsageTable } from '../store/usage.js';
import { type Allowance, RateLimitError } from './allowance.js';
import { beginMonth, isIdle, type MonthOfAccount, monthOf, secondsLeftOf, totalOf, writeMonths } from './months.js';

/** Under a second, so that counts are written, and those of other processes known, at most a second later. */
const writeEveryMs = 500;

/** One call of an account, from its authentication to its answer. */
export interface Call {
  /** Takes the call out of its month; undefined where there is no limit. Throws the RateLimitError that refuses it. */
  admit(): Promise<Allowance | undefined>;
  /** It has been answered; one that was refused by a limit does not count. To be called once. */
  end(isRefused: boolean): void;
}

export interface MonthlyCalls {
  begin(caller: Caller): Call;
  /** Writes what is not written yet; resolves also when that cannot be done. */
  close(): Promise<void>;
}

export interface MonthlyCallsParts {
  readonly usage: UsageTable;
  /** Calls in a month; undefined is without limit, and counted all the same. */
  readonly quotaOf: (caller: Caller) => number | undefined;
  readonly now: () => number;
  readonly log: Logger;
}

/** As the deployment says, else by the tier. */
export function monthlyQuotaBy({ monthlyCalls }: Quotas): MonthlyCallsParts['quotaOf'] {
  return ({ tier }) => (monthlyCalls ?? tiers[tier].monthly_calls ?? 0) || undefined;
}

/**
 * Counts calls in memory and adds them up in the database, where they survive a restart and meet those of other
 * processes. While the database is away counts are kept, and limits go by what is known.
 */
export function createMonthlyCalls(parts: MonthlyCallsParts): MonthlyCalls {
  const { usage, quotaOf, now, log } = parts;
  const months = new Map<string, MonthOfAccount>();
  const stop = new AbortController();
  const writing = writeAgainAndAgain(months, usage, log, stop.signal);

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
      const lost = [...months.values()].reduce((sum, { answered }) => sum + answered, 0);
      if (lost > 0) log.warn({ calls: lost }, 'calls of this month could not be written and are lost');
    },
  };
}

function callOf(entry: MonthOfAccount, quota: number | undefined, usage: UsageTable, now: () => number): Call {
  let isAdmitted = false;
  entry.underWay += 1;
  return {
    async admit() {
      if (quota !== undefined) await know(entry, usage);
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
      entry.underWay -= 1;
      if (isAdmitted) entry.admitted -= 1;
      if (!isRefused) entry.answered += 1;
    },
  };
}

/** The total in the database, asked for once however many calls want it. */
async function know(entry: MonthOfAccount, usage: UsageTable): Promise<void> {
  if (entry.stored !== undefined) return;
  const { accountId, month } = entry;
  entry.asking ??= usage.totalsOf([{ accountId, month }]).then(([total = 0]) => {
    entry.stored ??= total;
  });
  try {
    await entry.asking;
  } finally {
    entry.asking = undefined;
  }
}

async function writeAgainAndAgain(
  months: Map<string, MonthOfAccount>,
  usage: UsageTable,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  let isFailing = false;
  while (!signal.aborted) {
    await sleep(writeEveryMs, undefined, { signal, ref: false }).catch(() => undefined);
    const error = await writeMonths(months.values(), usage);
    if (error && !isFailing) log.warn({ err: error }, 'calls of this month cannot be written at present');
    isFailing = error !== undefined;
    for (const [name, entry] of months) if (isIdle(entry)) months.delete(name);
  }
}
