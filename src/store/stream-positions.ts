import type { Knex } from 'knex';
import { insertOf } from './insert-rows.js';
import type { Statement } from './run-statements.js';

/** Positions are even: a reading has its position, and the state change that it caused has the next number. */
export const positionStep = 2;
const positionsPerMs = 1_000;

/** The newest position of an account, and the number of its erasures. Both change only upwards. */
export interface StreamHead {
  readonly accountId: string;
  readonly position: number;
  readonly erasures: number;
}

/**
 * The order in which an account's readings were accepted, by any process. A transaction takes its positions under a
 * lock that it holds until its commit. So a position is visible only when all lower ones are, and a reader that
 * continues after the highest position it has seen misses nothing.
 */
export function positionTable(transaction: Knex, accountId: string) {
  const save = (columns: Partial<Omit<StreamHead, 'accountId'>>) => {
    const row = { account_id: accountId, ...columns };
    return insertOf(transaction, 'stream_positions', [row], { key: ['account_id'], merged: Object.keys(columns) });
  };
  const lock = async (): Promise<Omit<StreamHead, 'accountId'>> => {
    const select = () =>
      transaction('stream_positions')
        .select('position', 'erasures')
        .where({ account_id: accountId })
        .forUpdate()
        .first();
    const known = await select();
    if (known) return known;
    const blank = { account_id: accountId, position: 0, erasures: 0 };
    await transaction('stream_positions').insert(blank).onConflict(['account_id']).ignore();
    return select();
  };

  return {
    /**
     * Takes positions for this many readings. Returns the first one and the statement that stores the last one.
     * Positions follow the clock, so they also ascend when a database is restored from a backup.
     */
    async take(count: number, nowMs: number): Promise<{ readonly first: number; readonly toSave: Statement[] }> {
      if (count === 0) return { first: 0, toSave: [] };
      const { position, erasures } = await lock();
      const first = Math.max(position + positionStep, nowMs * positionsPerMs);
      return { first, toSave: save({ position: first + (count - 1) * positionStep, erasures }) };
    },

    /** Counts an erasure, so that every process ends the streams of the erased sessions. */
    async countErasure(): Promise<void> {
      await lock();
      await transaction('stream_positions').where({ account_id: accountId }).increment('erasures', 1);
    },
  };
}

/** Returns the heads of the accounts. Accounts without readings have none. */
export async function findStreamHeads(knex: Knex, accountIds: readonly string[]): Promise<StreamHead[]> {
  return knex('stream_positions')
    .select({ accountId: 'account_id', position: 'position', erasures: 'erasures' })
    .whereIn('account_id', accountIds);
}
