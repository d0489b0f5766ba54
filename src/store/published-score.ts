import type { Knex } from 'knex';
import { type SessionOrPerson, toNames } from '../contract/whose.js';
import { findPositions, hintLateIndex, hintSessionIndex, joinInOrder, toAccountKey } from './readings.js';
import { selectRows } from './rows.js';

/** The published score of a time: of one reading, or the rounded mean of several. */
export interface ScoreAtReport {
  readonly score: number;
  readonly model: number;
  readonly readings: number;
}

/** A range of time in epoch ms: after `afterMs`, up to `untilMs`. */
export interface ReportedTime {
  readonly afterMs: number;
  readonly untilMs: number;
  /** True if only the newest reading of the range counts. */
  readonly isMoment: boolean;
}

/**
 * Returns the published score of a time: of the newest reading, or the mean of the readings of the newest model version.
 * Undefined if no reading with evidence is stored, or if the newest one of a moment has none.
 */
export async function findPublished(
  knex: Knex,
  accountId: string,
  whose: SessionOrPerson,
  { afterMs: earliestMs, untilMs, isMoment }: ReportedTime,
): Promise<ScoreAtReport | undefined> {
  const account = toAccountKey(accountId);
  const [join, late] = [joinInOrder(knex), hintLateIndex(knex)];
  const [[column, id]] = Object.entries(toNames(whose)) as [[string, string]];
  const owner = `s.account_id = ? and s.${column} = ?`;
  const time = 'r.timestamp_ms > ? and r.timestamp_ms <= ?';
  // A disputed score counts as it was published.
  const published = (name: string, column: string) =>
    `case when r.response like '%"undisputed":{%' then json_extract(r.response, '$.undisputed.${name}') + 0 else ${column} end as ${name}`;
  const columns = `r.timestamp_ms as atMs, r.position as position, ${published('score', 'r.stress_score')},
    ${published('confidence', 'r.confidence')}, r.model_version as model`;
  const ids = [accountId, id];
  // Otherwise the database would sort all late readings of the time, e.g. 45,000 that were backfilled into one minute.
  const newestLate = `select max(newest.atMs) as atMs from (select (select l.timestamp_ms from ${late}
      where l.account = ? and l.incarnation = s.incarnation and l.timestamp_ms > ? and l.timestamp_ms <= ?
      order by l.timestamp_ms desc limit 1) as atMs from sessions s where ${owner}) as newest`;
  const lateBindings = [account, earliestMs, untilMs, ...ids];
  const [newest] = isMoment
    ? await selectRows<{ readonly atMs: number | null }>(knex, { sql: newestLate, bindings: lateBindings })
    : [];
  const afterMs = Math.max(earliestMs, (newest?.atMs ?? 0) - 1);
  const found = `select ${columns} from sessions s ${join} ${hintSessionIndex(knex)}
      on r.account = ? and r.incarnation = s.incarnation and r.position between ? and ?
    where ${owner} and ${time}
    union all select ${columns} from sessions s ${join} ${late}
      on l.account = ? and l.incarnation = s.incarnation and l.timestamp_ms > ? and l.timestamp_ms <= ?
      ${join} session_readings r on r.account = l.account and r.position = l.position
    where ${owner} and l.position not between ? and ?`;
  const sql = isMoment
    ? `${found} order by atMs desc, position desc limit 1`
    : `select model, count(*) as readings, sum(score) as total from (${found}) as recent
        where confidence > 0 group by model order by model desc limit 1`;
  const [positions, times] = [
    [findPositions(afterMs)[0], findPositions(untilMs)[1]],
    [afterMs, untilMs],
  ];
  const bindings = [account, ...positions, ...ids, ...times, account, ...times, ...ids, ...positions];
  type Found = Readonly<Record<'model' | 'score' | 'confidence' | 'readings' | 'total', number>>;
  const [row] = await selectRows<Found>(knex, { sql, bindings });
  if (row && isMoment) return row.confidence > 0 ? { score: row.score, model: row.model, readings: 1 } : undefined;
  if (!row) return undefined;
  // MySQL returns a sum as text.
  return { score: Math.round(Number(row.total) / row.readings), model: row.model, readings: row.readings };
}
