import type { Knex } from 'knex';
import {
  buildFlatInsert,
  buildInsert,
  forUpdate,
  isPacked,
  runStatements,
  selectRows,
  type Statement,
} from './rows.js';
import type { ReadScope } from './scope.js';

/**
 * Distance between the positions of two readings. The position after a reading belongs to the state change that the
 * reading caused.
 */
export const positionStep = 2;
export const positionsPerMs = 1_000;

/** The newest position of an account, and the number of its erasures. Both only increase. */
export interface StreamHead {
  readonly accountId: string;
  readonly position: number;
  readonly erasures: number;
}

/** Returns the mark of a column of a row in `takeInPacket`: its position is the number of positions after the first one. */
export function markPosition(column: string): string {
  return column === 'position' ? '@first + ?' : '?';
}

/**
 * Returns true if a position was null. A null in another column is an error of a statement `before`, which the transaction
 * must not survive. No table that is written before the readings has this column.
 */
function isNullPosition(error: unknown): boolean {
  const { code, sqlMessage = '' } = error as { readonly code?: string; readonly sqlMessage?: string };
  return code === 'ER_BAD_NULL_ERROR' && /\bposition\b/.test(sqlMessage);
}

/**
 * Positions define the order in which the readings of an account were accepted by all processes. A reading that streams
 * do not send is stored with its negative position, so that queries of streams, which start at 0, do not scan it.
 *
 * A transaction takes its positions under a lock that it holds until its commit. A position therefore becomes visible
 * only after all lower positions. A reader that continues after its highest position misses no reading.
 */
export function createPositionTable({ knex: transaction, accountId }: ReadScope) {
  const save = (columns: Partial<Omit<StreamHead, 'accountId'>>) => {
    const row = { account_id: accountId, ...columns };
    return buildInsert(transaction, 'stream_positions', [row], { key: ['account_id'], merged: Object.keys(columns) });
  };
  const sql = `select position, erasures from stream_positions where account_id = ?${forUpdate(transaction)}`;
  const lock = async (before: readonly Statement[] = []): Promise<Omit<StreamHead, 'accountId'>> => {
    const select = { sql, bindings: [accountId] };
    const [known] = await runStatements({ knex: transaction }, [...before, select]);
    if (known) return known as StreamHead;
    const blank = { account_id: accountId, position: 0, erasures: 0 };
    await transaction('stream_positions').insert(blank).onConflict(['account_id']).ignore();
    const [inserted] = await selectRows<StreamHead>(transaction, select);
    return inserted as StreamHead;
  };

  return {
    /**
     * Takes `count` positions, and stores their rows in one packet: runs the statements `before`, then those of `toAppend`,
     * which insert rows at `firstMark`. With `isLast`, the transaction commits with them. Resolves with false if the first
     * position is not from `min` to `max`, or if the account has no position yet: only the statements `before` have then run.
     */
    async takeInPacket(
      count: number,
      { min, max }: { readonly min: number; readonly max: number },
      before: readonly Statement[],
      toAppend: readonly Statement[],
      isLast: boolean,
    ): Promise<boolean> {
      // Null, which no row may have as its position, ends the packet.
      const take = `select case when max(position) <= ? then greatest(max(position) + ${positionStep}, ?) end into @first
        from stream_positions where account_id = ? for update`;
      const row = { table: 'stream_positions', columns: ['account_id', 'position', 'erasures'], markOf: markPosition };
      const conflict = { key: ['account_id'], merged: ['position'] };
      const toSave = buildFlatInsert(transaction, row, [accountId, (count - 1) * positionStep, 0], conflict);
      const bindings = [max - positionStep, min, accountId];
      try {
        await runStatements(
          { knex: transaction },
          [...before, { sql: take, bindings }, ...toAppend, ...toSave],
          isLast,
        );
        return true;
      } catch (error) {
        if (isNullPosition(error)) return false;
        throw error;
      }
    },

    /** Returns true if `takeInPacket` saves a round trip. */
    hasPackets: (): boolean => isPacked(transaction),

    /**
     * Reserves `count` positions. Returns the first position and the statement that stores the last position.
     * Positions follow the clock, so they also ascend after a database is restored from a backup. Runs the statements
     * `before` in the same round trip.
     */
    async take(
      count: number,
      nowMs: number,
      before: readonly Statement[],
    ): Promise<{ readonly first: number; readonly toSave: Statement[] }> {
      if (count === 0) await runStatements({ knex: transaction }, before);
      if (count === 0) return { first: 0, toSave: [] };
      const { position, erasures } = await lock(before);
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

/** Returns the stream heads of the accounts. An account without readings has no head. */
export async function findStreamHeads(knex: Knex, accountIds: readonly string[]): Promise<StreamHead[]> {
  return knex('stream_positions')
    .select({ accountId: 'account_id', position: 'position', erasures: 'erasures' })
    .whereIn('account_id', accountIds);
}
