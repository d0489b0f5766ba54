import type { UsageTable } from '../store/usage.js';

/** Rounds without a call after which a month of an account is forgotten; the database remembers it. */
const idleRoundsMax = 120;
/** Accounts in one transaction, so that it stays short. */
const writeAtOnce = 200;

/** What is known here of an account's calls in one month. */
export interface MonthOfAccount {
  readonly accountId: string;
  readonly month: string;
  /** The total in the database when it was last read or written; undefined until then. */
  stored: number | undefined;
  /** The first reading of it, while it lasts. */
  asking: Promise<void> | undefined;
  /** Calls that have been answered and are not in `stored`. */
  answered: number;
  /** Calls that were let through and have no answer yet. */
  admitted: number;
  /** Calls without an answer, let through or not. */
  underWay: number;
  /** Rounds of writing since the last call. */
  idleRounds: number;
}

export function beginMonth(accountId: string, month: string): MonthOfAccount {
  const nothing = { answered: 0, admitted: 0, underWay: 0, idleRounds: 0 };
  return { accountId, month, stored: undefined, asking: undefined, ...nothing };
}

export function totalOf({ stored = 0, answered, admitted }: MonthOfAccount): number {
  return stored + answered + admitted;
}

export function isIdle({ answered, underWay, idleRounds }: MonthOfAccount): boolean {
  return answered === 0 && underWay === 0 && idleRounds > idleRoundsMax;
}

/** The UTC calendar month of an instant (epoch ms), as in `2026-11`. */
export function monthOf(nowMs: number): string {
  const now = new Date(nowMs);
  return `${now.getUTCFullYear()}-${String(now.getUTCMonth() + 1).padStart(2, '0')}`;
}

/** Seconds until the next month begins, at least 1. */
export function secondsLeftOf(nowMs: number): number {
  const now = new Date(nowMs);
  const nextMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
  return Math.max(1, Math.ceil((nextMs - nowMs) / 1000));
}

/**
 * Adds up in the database what was answered since the last round, and reads what other processes have added for those
 * who call. Resolves with the error when it cannot be done; then what is not written is kept for the next round.
 */
export async function writeMonths(months: Iterable<MonthOfAccount>, usage: UsageTable): Promise<unknown> {
  const all = [...months];
  const due = all.filter(({ answered, idleRounds, asking }) => (answered > 0 || idleRounds === 0) && !asking);
  for (const it of all) it.idleRounds += 1;
  for (let from = 0; from < due.length; from += writeAtOnce) {
    const error = await write(due.slice(from, from + writeAtOnce), usage);
    if (error) return error;
  }
  return undefined;
}

async function write(due: readonly MonthOfAccount[], usage: UsageTable): Promise<unknown> {
  const usages = due.map(({ accountId, month, answered: calls }) => ({ accountId, month, calls }));
  try {
    const totals = await usage.add(usages);
    for (const [index, it] of due.entries()) {
      it.stored = totals[index] ?? 0;
      // More may have been answered meanwhile.
      it.answered -= usages[index]?.calls ?? 0;
    }
    return undefined;
  } catch (error) {
    return error;
  }
}
