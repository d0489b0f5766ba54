import type { Knex } from 'knex';
import type { DeletedBatch, DeletedPart } from './delete-oldest.js';
import { chooseAccounts } from './due-accounts.js';
import { toAccountKey } from './readings.js';
import { selectRows } from './rows.js';
import { positionsPerMs } from './stream-positions.js';

/** SQL of `toAccountKey`. */
const accountKey = 'substr(p.account_id, 5, 12)';

/**
 * Returns the timestamp in epoch ms of the newest reading of all accounts, also of a backfilled one: phones may send no
 * other. Undefined if there is none.
 */
export async function findNewestReadingTime(knex: Knex): Promise<number | undefined> {
  // The position of a backfilled reading is negative.
  const newest = `select timestamp_ms from session_readings where account = ${accountKey} and position > 0
    order by position desc limit 1`;
  const sql = `select max(newest.timestampMs) as timestampMs from (select (${newest}) as timestampMs from stream_positions p
    union all select max(timestamp_ms) from late_readings) as newest`;
  const [row] = await selectRows<{ timestampMs: number | null }>(knex, { sql, bindings: [] });
  return row?.timestampMs ?? undefined;
}

/** A reading that is about to be deleted. */
export interface ExpiredReading {
  /** Key of the account. See `toAccountKey`. */
  readonly account: string;
  readonly position: number;
  readonly incarnation: string;
  readonly timestamp_ms: number;
}

/** Resolves with true when the readings may be deleted. */
type Prepare = (readings: readonly ExpiredReading[]) => Promise<boolean>;

/**
 * Deletes at most `batch` late readings older than `beforeMs` of a part of the table, oldest first, after `prepare` has
 * resolved with true for them.
 *
 * Finds late readings by their timestamps and others by their positions, so that only late readings require an index of
 * timestamps.
 */
export async function purgeLateReadings(
  knex: Knex,
  beforeMs: number,
  batch: number,
  prepare: Prepare = async () => true,
  { accounts, fromMs = 0 }: Pick<DeletedPart, 'accounts' | 'fromMs'> = {},
): Promise<DeletedBatch> {
  const { sql, bindings } = chooseAccounts('account', accounts);
  const late: ExpiredReading[] = await knex('late_readings')
    .select('account', 'position', 'incarnation', 'timestamp_ms')
    .where('timestamp_ms', '>=', fromMs)
    .where('timestamp_ms', '<', beforeMs)
    .whereRaw(sql, bindings)
    .orderBy('timestamp_ms')
    .limit(batch);
  const [first] = late;
  if (!first) return { rows: 0 };
  const oldestMs = Number(first.timestamp_ms);
  if (!(await prepare(late))) return { rows: 0, oldestMs };
  for (const account of new Set(late.map((row) => row.account)))
    await deleteAll(knex, account, late.filter((row) => row.account === account).map(toPosition));
  return { rows: late.length, oldestMs };
}

/**
 * Deletes at most `batch` readings of an account older than `beforeMs` that are not late, after `prepare` has resolved
 * with true for them. Returns their number. A reading may stay up to a minute longer.
 */
export async function purgeReadings(
  knex: Knex,
  accountId: string,
  beforeMs: number,
  batch: number,
  prepare: Prepare = async () => true,
): Promise<number> {
  const account = toAccountKey(accountId);
  const expired: ExpiredReading[] = await selectRows(knex, {
    sql: `select account, position, incarnation, timestamp_ms from session_readings where account = ?
      and position > 0 and position < ? and timestamp_ms < ? order by position limit ${batch}`,
    bindings: [account, beforeMs * positionsPerMs, beforeMs],
  });
  const [first, last] = [expired[0], expired.at(-1)];
  if (!first || !last || !(await prepare(expired))) return 0;
  // A range takes less time than a list. Its other readings are not expired.
  await knex('session_readings')
    .where({ account })
    .whereBetween('position', [first.position, last.position])
    .where('timestamp_ms', '<', beforeMs)
    .delete();
  return expired.length;
}

/** Returns the sessions of readings of one account that have a subject. */
export async function findSubjects(
  knex: Knex,
  account: string,
  incarnations: readonly string[],
): Promise<Array<Readonly<Record<'accountId' | 'subjectId' | 'incarnation', string>>>> {
  const [found] = await selectRows<{ accountId: string }>(knex, {
    sql: `select p.account_id as accountId from stream_positions p where ${accountKey} = ?`,
    bindings: [account],
  });
  if (!found) return [];
  return knex('sessions')
    .select({ accountId: 'account_id', subjectId: 'subject_id', incarnation: 'incarnation' })
    .where({ account_id: found.accountId })
    .whereIn('incarnation', incarnations)
    .whereNotNull('subject_id');
}

/** Deletes about `batch` readings of a session. Returns false when none remain. */
export async function deleteSession(
  knex: Knex,
  { account_id, incarnation }: { readonly account_id: string; readonly incarnation: string },
  batch: number,
): Promise<boolean> {
  const account = toAccountKey(account_id);
  for (const table of ['late_readings', 'session_readings']) {
    const positions = (await knex(table).select('position').where({ account, incarnation }).limit(batch)).map(
      toPosition,
    );
    if (positions.length === 0) continue;
    await deleteAll(knex, account, positions);
    return true;
  }
  return false;
}

/**
 * Deletes readings. Their rows in `session_readings` are deleted first, so that a later purge finds the rest after a
 * crash.
 */
async function deleteAll(knex: Knex, account: string, positions: readonly number[]): Promise<void> {
  for (const table of ['session_readings', 'late_readings'])
    await knex(table).where({ account }).whereIn('position', positions).delete();
}

function toPosition({ position }: { readonly position: number }): number {
  return position;
}
