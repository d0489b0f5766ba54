import type { Knex } from 'knex';
import { toAccountKey } from './readings.js';
import { selectRows, type Statement } from './rows.js';
import { positionsPerMs } from './stream-positions.js';

/** An account that may have expired readings. */
export interface DueAccount {
  readonly accountId: string;
  /** Lower limit of the times of its readings, in epoch ms. */
  readonly purgedToMs: number;
  /** Time of its oldest reading, in epoch ms. Null if it has none. */
  readonly oldestMs: number | null;
}

/** Accounts by their ids: these, or all others. */
export interface AccountChoice {
  readonly ids: readonly string[];
  readonly isOther: boolean;
}

/**
 * Returns the condition of rows of these accounts. `column` has the id, or its key if it is `account`. The condition computes
 * with the column, so that the search uses an index of times instead of one of accounts.
 */
export function chooseAccounts(column: string, accounts: AccountChoice | undefined): Statement {
  if (!accounts) return { sql: '1 = 1', bindings: [] };
  const { ids, isOther } = accounts;
  const list = ids.map(() => '?').join(', ');
  const bindings = column === 'account' ? ids.map(toAccountKey) : ids;
  return { sql: `substr(${column}, 1) ${isOther ? 'not in' : 'in'} (${list})`, bindings };
}

/** SQL of the oldest live reading of `account`. The position of a backfilled reading is negative. */
const selectOldest = (account: string) =>
  `select position from session_readings where account = ${account} and position > 0 order by position limit 1`;
const toMs = (position: number | null) => position && Math.floor(Number(position) / positionsPerMs);

/**
 * Returns at most `max` accounts that no process purges and that may have readings from before `beforeMs`, the longest
 * expired first, after the account `after`.
 */
export async function findDueAccounts(
  knex: Knex,
  {
    beforeMs,
    nowMs,
    accounts,
  }: { readonly beforeMs: number; readonly nowMs: number; readonly accounts?: AccountChoice | undefined },
  after: Pick<DueAccount, 'accountId' | 'purgedToMs'>,
  max: number,
): Promise<DueAccount[]> {
  const chosen = chooseAccounts('p.account_id', accounts);
  const rows = await selectRows<DueAccount>(knex, {
    sql: `select p.account_id as accountId, p.purged_to_ms as purgedToMs, (${selectOldest('substr(p.account_id, 5, 12)')}) as oldestMs
      from stream_positions p where p.purged_to_ms >= ? and p.purged_to_ms < ? and p.purge_until_ms <= ?
      and (p.purged_to_ms > ? or p.account_id > ?) and ${chosen.sql} order by p.purged_to_ms, p.account_id limit ${max}`,
    bindings: [after.purgedToMs, beforeMs, nowMs, after.purgedToMs, after.accountId, ...chosen.bindings],
  });
  return rows.map((it) => ({ ...it, purgedToMs: Number(it.purgedToMs), oldestMs: toMs(it.oldestMs) }));
}

/** Returns the lowest known limit of one of these accounts, in epoch ms. Undefined if there is none. */
export async function findPurgedTo(knex: Knex, accounts?: AccountChoice): Promise<number | undefined> {
  const { sql, bindings } = chooseAccounts('account_id', accounts);
  const row = await knex('stream_positions')
    .where('purged_to_ms', '>', 0)
    .whereRaw(sql, bindings)
    .orderBy('purged_to_ms')
    .first('purged_to_ms');
  return row && Number(row.purged_to_ms);
}

/** Forgets limits of a clock that was ahead and is set back. */
export async function forgetLaterLimits(knex: Knex, nowMs: number): Promise<void> {
  await knex('stream_positions').where('purged_to_ms', '>', nowMs).update({ purged_to_ms: 0 });
}

/** Sets the lower limit of the times of readings. */
export async function setPurgedTo(knex: Knex, accountIds: readonly string[], purged_to_ms: number): Promise<void> {
  if (accountIds.length > 0) await knex('stream_positions').whereIn('account_id', accountIds).update({ purged_to_ms });
}

/** Takes the purge of an account until a time. Resolves with false if another process has it. Times in epoch ms. */
export async function claimPurge(knex: Knex, accountId: string, nowMs: number, untilMs: number): Promise<boolean> {
  const free = knex('stream_positions').where({ account_id: accountId }).where('purge_until_ms', '<=', nowMs);
  return (await free.update({ purge_until_ms: untilMs })) > 0;
}

/** Ends the purge of an account, and stores the time of its oldest reading, or `idleMs` if it has none. */
export async function releasePurge(knex: Knex, accountId: string, idleMs: number): Promise<void> {
  const [oldest] = await selectRows<{ position: number }>(knex, {
    sql: selectOldest('?'),
    bindings: [toAccountKey(accountId)],
  });
  const purged_to_ms = toMs(oldest?.position ?? null) ?? idleMs;
  await knex('stream_positions').where({ account_id: accountId }).update({ purged_to_ms, purge_until_ms: 0 });
}
