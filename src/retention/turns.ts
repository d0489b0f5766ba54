import type { DeletedBatch } from '../store/delete-oldest.js';
import {
  type AccountChoice,
  claimPurge,
  type DueAccount,
  findDueAccounts,
  forgetLaterLimits,
  releasePurge,
  setPurgedTo,
} from '../store/due-accounts.js';
import { purgeReadings } from '../store/expired-readings.js';
import { retry } from '../store/retry.js';
import type { Store } from '../store/store.js';
import type { Summarize } from './summarize.js';

/** Maximum number of accounts per page. */
const pageMax = 200;
/** How long a process may take for one batch. Afterwards, another process may take the account. */
const claimMs = 5 * 60_000;
/** A reading of an account without readings may be accepted, but not committed, since this time, in ms. */
const acceptedMs = 3_600_000;

interface Turn {
  readonly store: Pick<Store, 'run'>;
  readonly nowMs: number;
  readonly beforeMs: number;
  /** The accounts that take turns. Absent: all. */
  readonly accounts?: AccountChoice | undefined;
  /** Maximum number of readings per account and turn. The accounts after it wait for the next call. */
  readonly rows: number;
  readonly summarize: Summarize | undefined;
  readonly signal?: AbortSignal | undefined;
}

const start = { accountId: '', purgedToMs: 0 };

/**
 * Returns a function that purges readings of the accounts in turn: each call continues with the next accounts, and each
 * account gets one batch per lap. An account that expires faster than the purge therefore does not delay others. Any number
 * of processes may share the accounts.
 *
 * Only accounts with a row in the index of due accounts cost anything. An account without readings has one per retention.
 */
export function createTurns() {
  let after: Pick<DueAccount, 'accountId' | 'purgedToMs'> = start;
  /** Accounts that had their turn in this lap and have more. */
  const served = new Set<string>();
  return async ({ store, nowMs, beforeMs, accounts, rows, summarize, signal }: Turn): Promise<DeletedBatch> => {
    const idleMs = nowMs - acceptedMs;
    const purge = async (accountId: string): Promise<number> => {
      if (!(await store.run((knex) => claimPurge(knex, accountId, nowMs, nowMs + claimMs)))) return 0;
      try {
        return await retry(() => store.run((knex) => purgeReadings(knex, accountId, beforeMs, rows, summarize)));
      } finally {
        await retry(() => store.run((knex) => releasePurge(knex, accountId, idleMs)));
      }
    };
    const findPage = () => store.run((knex) => findDueAccounts(knex, { beforeMs, nowMs, accounts }, after, pageMax));
    if (after === start) await retry(() => store.run((knex) => forgetLaterLimits(knex, nowMs)));
    let page = await findPage();
    if (page.length < pageMax && page.every(({ accountId }) => served.has(accountId))) {
      after = start;
      page = served.size > 0 ? await findPage() : [];
      served.clear();
    }
    const idle = page.filter(({ oldestMs }) => oldestMs === null).map(({ accountId }) => accountId);
    await retry(() => store.run((knex) => setPurgedTo(knex, idle, idleMs)));
    let deleted = 0;
    for (const account of page.filter((it) => it.oldestMs !== null && !served.has(it.accountId))) {
      if (deleted >= rows || signal?.aborted) return { rows: deleted, hasMore: true };
      const batch = await purge(account.accountId);
      if (batch >= rows) served.add(account.accountId);
      deleted += batch;
      after = account;
    }
    after = page.at(-1) ?? start;
    return { rows: deleted, hasMore: page.length > 0 };
  };
}
