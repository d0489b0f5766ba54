import { timestamps } from '../../generated/spec.js';
import { toMinuteKey } from '../../packages/recordings/history.js';
import { findPositions, hintSessionIndex, toAccountKey } from './readings.js';
import { rowFormats } from './row-formats.js';
import { selectRows } from './rows.js';
import type { ReadScope } from './scope.js';
import { positionsPerMs } from './stream-positions.js';

const minuteMs = 60_000;
/** Maximum time from the timestamp of a live reading to its acceptance. A deployment may allow more, so with a margin. */
const lateMaxMs = 2 * timestamps.max_age_seconds * 1000;

/**
 * Returns the minutes of a session from `fromMs` up to and including that of `untilMs` in which a device has readings that
 * are not backfilled.
 */
export async function findLiveMinutes(
  { knex, accountId }: ReadScope,
  sessionId: string,
  fromMs: number,
  untilMs: number,
): Promise<ReadonlySet<string>> {
  const [first] = findPositions(fromMs);
  const last = (untilMs + minuteMs + lateMaxMs) * positionsPerMs;
  // The positions of backfilled readings are negative.
  const sql = `select r.timestamp_ms as atMs, r.signals as signals from ${hintSessionIndex(knex)}
    where r.account = ? and r.incarnation = (select incarnation from sessions where account_id = ? and session_id = ?)
      and r.position between ? and ?`;
  const bindings = [toAccountKey(accountId), accountId, sessionId, Math.max(1, first), last];
  const rows = await selectRows<{ readonly atMs: number; readonly signals: string }>(knex, { sql, bindings });
  return new Set(
    rows.map(({ atMs, signals }) =>
      toMinuteKey({ atMs: Number(atMs), device: rowFormats.signals.decode(signals).source_device }),
    ),
  );
}
