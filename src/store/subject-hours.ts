import type { State } from '../contract/contract.js';
import type { CountedReading, Hour, Spread } from '../../packages/score/summary.js';
import { toColumns } from './columns.js';
import { computeEarliestTimestamp, hintLateIndex, hintSessionIndex, toAccountKey } from './readings.js';
import { rowFormats } from './row-formats.js';
import { chunksOf, selectRows } from './rows.js';
import { listSessionIds, pageRows, scanReadings, type ScanSpan } from './scan.js';
import type { ReadScope, SlicedScope, WriteScope } from './scope.js';

/** A reading of a person, and the incarnation of its session. */
export interface SubjectReading extends CountedReading {
  readonly incarnation: string;
}

interface ReadingRow {
  readonly incarnation: string;
  readonly timestamp_ms: number;
  readonly stress_score: number;
  readonly confidence: number;
  readonly signals: string;
  readonly response: string;
}

type HourRow = {
  readonly hour_ms: number;
  readonly readings: number;
  readonly heart_rates: number;
  readonly topics: string;
} & Readonly<Record<`${State}_ms`, number>> &
  Readonly<Record<`${'score' | 'heart_rate'}_${'sum' | 'min' | 'max'}`, number | null>>;

const insertMax = 100;

/** Reads the stored hours of the subjects of one account. */
export function createHourReader({ knex, accountId }: ReadScope) {
  return {
    /** Returns the stored hours of a subject that begin from `fromMs` to before `toMs`, ascending. */
    async stored(subjectId: string, fromMs: number, toMs: number): Promise<Hour[]> {
      const rows: HourRow[] = await knex('subject_hours')
        .where({ account_id: accountId, subject_id: subjectId })
        .andWhere('hour_ms', '>=', fromMs)
        .andWhere('hour_ms', '<', toMs)
        .orderBy('hour_ms');
      return rows.map(toHour);
    },

    /** Returns the stored hours of subjects with these starts, in epoch ms. */
    async storedAt(subjectIds: readonly string[], startsMs: readonly number[]): Promise<Map<string, Hour[]>> {
      const rows: Array<HourRow & { subject_id: string }> = await knex('subject_hours')
        .where({ account_id: accountId })
        .whereIn('subject_id', subjectIds)
        .whereIn('hour_ms', startsMs);
      const hours = new Map(subjectIds.map((id): [string, Hour[]] => [id, []]));
      for (const row of rows) hours.get(row.subject_id)?.push(toHour(row));
      return hours;
    },

    /** Returns the start of the subject's first stored hour, in epoch ms. Infinity if it has none. */
    async firstHour(subjectId: string): Promise<number> {
      const key = { account_id: accountId, subject_id: subjectId };
      const [hours] = await knex('subject_hours').where(key).min({ firstMs: 'hour_ms' });
      return hours?.firstMs ?? Infinity;
    },
  };
}

/** Yields the readings of a subject in the order of their timestamps, at most `pageRows` at a time. */
export async function* readSubject(scope: SlicedScope, subjectId: string, span: ScanSpan) {
  const incarnations = (await listSessionIds(scope, { kind: 'person', subjectId })).keys();
  const columns = ['stress_score', 'confidence', 'signals', 'response'];
  for await (const rows of scanReadings<ReadingRow>(scope, incarnations, columns, span)) yield rows.map(toReading);
}

/** Returns a time in epoch ms before which a subject has no stored reading. Infinity if it has none. */
export async function findFirstTime(scope: SlicedScope, subjectId: string): Promise<number> {
  const { knex, accountId, pause } = scope;
  const account = toAccountKey(accountId);
  let firstMs = Infinity;
  for (const some of chunksOf([...(await listSessionIds(scope, { kind: 'person', subjectId })).keys()], pageRows)) {
    const sql = `select
        min((select min(r.position) from ${hintSessionIndex(knex)}
          where r.account = ? and r.incarnation = s.incarnation and r.position > 0)) as position,
        min((select min(l.timestamp_ms) from ${hintLateIndex(knex)} where l.account = ? and l.incarnation = s.incarnation)) as lateMs
      from sessions s where s.account_id = ? and s.incarnation in (${some.map(() => '?').join()})`;
    type Row = Readonly<Record<'position' | 'lateMs', number | null>>;
    const [first] = await selectRows<Row>(knex, { sql, bindings: [account, account, accountId, ...some] });
    const nearMs = first?.position ? computeEarliestTimestamp(first.position) : Infinity;
    firstMs = Math.min(firstMs, nearMs, first?.lateMs ?? Infinity);
    await pause(some.length);
  }
  return firstMs;
}

/** Writes the hourly summaries of one account in a transaction. Changed rows get the `version` of the transaction. */
export function createHourWriter({ knex: transaction, accountId, version }: WriteScope) {
  return {
    /**
     * Stores hours of a subject that are not stored yet. Returns false, and stores nothing, if a session that
     * contributed to the hours is deleted.
     *
     * Writes the version of the subject. An erasure of the subject therefore either waits for this transaction and
     * deletes its hours, or makes it store nothing. On a cluster, an erasure on another node conflicts with the write.
     */
    async add(subjectId: string, hours: readonly Hour[], incarnations: readonly string[]): Promise<boolean> {
      const key = { account_id: accountId, subject_id: subjectId };
      const updated = await transaction('subjects').where(key).whereNotNull('body').update({ version });
      const sessions = transaction('sessions').where({ account_id: accountId }).whereIn('incarnation', incarnations);
      const found: string[] = await sessions.andWhere({ subject_id: subjectId }).pluck('incarnation');
      if (updated === 0 || found.length < incarnations.length) return false;
      const rows = hours.map((hour) => ({ ...key, ...toRow(hour) }));
      const unique = ['account_id', 'subject_id', 'hour_ms'];
      for (const some of chunksOf(rows, insertMax))
        await transaction('subject_hours').insert(some).onConflict(unique).ignore();
      return true;
    },
  };
}

function toReading({ incarnation, timestamp_ms, signals, response, ...row }: ReadingRow): SubjectReading {
  // Most responses contain no topics. Parsing them would take half of the time of a summary.
  const { topics = [] } = response.includes('"topics"') ? rowFormats.response.decode(response) : {};
  const heartRate = rowFormats.signals.decode(signals).heart_rate;
  const score = row.confidence > 0 ? row.stress_score : undefined;
  return { incarnation, timestampMs: timestamp_ms, score, heartRate, topics };
}

function toHour(row: HourRow): Hour {
  return {
    startMs: row.hour_ms,
    stateMs: {
      calm: row.calm_ms,
      relaxed: row.relaxed_ms,
      focused: row.focused_ms,
      stressed: row.stressed_ms,
      acute_stress: row.acute_stress_ms,
    },
    scores: toSpread(row.readings, row.score_sum, row.score_min, row.score_max),
    heartRates: toSpread(row.heart_rates, row.heart_rate_sum, row.heart_rate_min, row.heart_rate_max),
    topics: row.topics === '' ? [] : row.topics.split(','),
  };
}

function toSpread(count: number, sum: number | null, min: number | null, max: number | null): Spread | undefined {
  return sum === null || min === null || max === null ? undefined : { count, sum, min, max };
}

function toRow({ startMs, stateMs, scores, heartRates, topics }: Hour): Record<string, string | number | null> {
  return {
    hour_ms: startMs,
    ...Object.fromEntries(Object.entries(stateMs).map(([state, ms]) => [`${state}_ms`, ms])),
    ...toColumns({ count: 'readings', sum: 'score_sum', min: 'score_min', max: 'score_max' }, scores ?? { count: 0 }),
    ...toColumns(
      { count: 'heart_rates', sum: 'heart_rate_sum', min: 'heart_rate_min', max: 'heart_rate_max' },
      heartRates ?? { count: 0 },
    ),
    topics: topics.join(),
  };
}
