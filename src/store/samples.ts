import type { Schema } from '../contract/contract.js';
import type { ComputedState } from '../../packages/score/rows/session.js';
import type { ReadingContent } from '../../packages/score/signals.js';
import { floorHour } from '../../packages/score/summary.js';
import {
  addReading,
  computedColumns,
  type ComputedRow,
  insertedColumns,
  type StoredReading,
  toAccountKey,
  toComputed,
  toPoint,
} from './readings.js';
import { buildFlatInsert, buildInsert, isMysql, selectRows, type Statement, type Value } from './rows.js';
import type { ReadScope } from './scope.js';
import { positionStep } from './stream-positions.js';

/** A sample of a session, with its reading. */
export interface StoredSample {
  readonly incarnation: string;
  readonly key: string;
  /** Time of the reading in epoch ms. */
  readonly timestampMs: number;
  readonly revision: number;
  readonly isSourced: boolean;
  /** Digests of all bodies of the sample that were stored, also of those that were replaced. */
  readonly digests: ReadonlySet<string>;
  /** Position of the reading, negative for a backfilled one. */
  readonly position: number;
  /** What the reading states. */
  readonly signals: ReadingContent;
  /** The samples that a minute of a source consists of. */
  readonly samples?: ComputedState['samples'];
  readonly computed: ComputedState;
  readonly stateChange: Schema<'StateChange'> | undefined;
}

/** The last body of a sample within a transaction. Its reading is stored already, or with the same transaction. */
export type KnownSample = Omit<StoredSample, 'position' | 'computed' | 'stateChange'>;

/** A body of a sample that is stored now. */
export interface SampleEntry {
  readonly incarnation: string;
  /** Null for a reading that is scored again, without a new body. */
  readonly key: string | null;
  readonly timestampMs: number;
  readonly digest: string;
  readonly isSourced: boolean;
  /** Position of the reading, negative for a backfilled one. */
  readonly position: number;
  /** The content that replaces that of the stored reading. Absent for a reading that is stored for the first time. */
  readonly replacement?: StoredReading | undefined;
}

interface Row extends ComputedRow {
  readonly incarnation: string;
  readonly sample: string;
  readonly row_position: number;
  readonly is_sourced: number;
  readonly body: string;
  readonly state_change: string | null;
}

/** A stored reading, with its position and that of its last replacement. */
export interface PlacedReading extends Omit<StoredReading, 'sessionId'> {
  readonly position: number;
  readonly movedTo: number | undefined;
}

interface PlacedRow extends ComputedRow {
  readonly incarnation: string;
  readonly position: number;
  readonly digest: string;
  readonly moved_to: number | null;
  readonly state_change: string | null;
}

const replacedRows = { table: 'session_readings', columns: [...insertedColumns, 'moved_to'] };
const replacedColumns = 'digest stress_score confidence model_version signals response moved_to'.split(' ');

/**
 * Samples of one account. Each body that was ever stored with a sample has a row in `late_readings`, at a position that
 * no reading has. A replacement updates the reading where it is, so that streams, lists and the purge see what they saw.
 * Its `moved_to` is the position of the newest body, at which exports return the reading.
 */
export function createSampleTable({ knex, accountId }: ReadScope) {
  const account = toAccountKey(accountId);

  return {
    /** Returns those samples of the sessions that are stored. */
    async find(incarnations: readonly string[], keys: readonly string[]): Promise<StoredSample[]> {
      const hint = isMysql(knex) ? 'force index (late_readings_by_sample)' : 'indexed by late_readings_by_sample';
      const columns = computedColumns.map((name) => `r.${name}`).join(', ');
      const toMarks = (all: readonly string[]) => all.map(() => '?').join(', ');
      const rows = await selectRows<Row>(knex, {
        sql: `select l.incarnation, l.sample, l.row_position, l.is_sourced, l.digest as body, r.state_change, ${columns}
          from late_readings l ${hint} join session_readings r on r.account = l.account and r.position = l.row_position
          where l.sample in (${toMarks(keys)}) and l.account = ? and l.incarnation in (${toMarks(incarnations)})`,
        bindings: [...keys, account, ...incarnations],
      });
      const bodies = new Map<string, Row[]>();
      for (const row of rows) {
        const name = `${row.incarnation} ${row.sample}`;
        bodies.set(name, [...(bodies.get(name) ?? []), row]);
      }
      return [...bodies.values()].map(toSample);
    },

    /** Returns which hours of the persons are stored: `toHourKey` of each. */
    async findHours(hours: ReadonlyArray<readonly [subjectId: string, hourMs: number]>): Promise<Set<string>> {
      const rows: Array<{ subject_id: string; hour_ms: number }> = await knex('subject_hours')
        .select('subject_id', 'hour_ms')
        .where({ account_id: accountId })
        .whereIn('subject_id', [...new Set(hours.map(([subjectId]) => subjectId))])
        .whereIn('hour_ms', [...new Set(hours.map(([, startMs]) => startMs))]);
      return new Set(rows.map((row) => toHourKey(row.subject_id, row.hour_ms)));
    },

    /** Returns the stored readings at these positions. */
    async readAt(positions: readonly number[]): Promise<PlacedReading[]> {
      const names = ['incarnation', 'position', 'digest', 'moved_to', 'state_change', ...computedColumns];
      const rows: PlacedRow[] = await knex('session_readings')
        .select(names)
        .where({ account })
        .whereIn('position', positions as number[]);
      return rows.map(({ incarnation, position, digest, moved_to, state_change, ...row }) => {
        const point = toPoint(row);
        const stateChange = state_change === null ? undefined : JSON.parse(state_change);
        const computed = toComputed(row, point);
        const { timestampMs } = point;
        return {
          incarnation,
          position,
          digest,
          movedTo: moved_to ?? undefined,
          timestampMs,
          point,
          computed,
          stateChange,
        };
      });
    },

    /** Removes places at which exports returned readings that were scored again. Those of bodies remain. */
    async removePlaces(positions: readonly number[]): Promise<void> {
      if (positions.length === 0) return;
      await knex('late_readings')
        .where({ account })
        .whereIn('position', positions as number[])
        .whereNotNull('row_position')
        .whereNull('sample')
        .delete();
    },

    /** Returns the statements that store the bodies and replace their readings. Positions ascend from `firstPosition`. */
    toSave(entries: readonly SampleEntry[], firstPosition: number): Statement[] {
      const late = entries.map(({ key: sample, ...it }, index) => ({
        account,
        position: firstPosition + index * positionStep,
        incarnation: it.incarnation,
        timestamp_ms: it.timestampMs,
        digest: it.digest,
        sample,
        row_position: it.position,
        is_sourced: Number(it.isSourced),
      }));
      const replaced = new Map<number, Value[]>();
      for (const [index, { replacement, position }] of entries.entries()) {
        if (!replacement) continue;
        const values: Value[] = [];
        addReading(values, account, replacement, position);
        values.push(firstPosition + index * positionStep);
        replaced.set(position, values);
      }
      return [
        ...buildInsert(knex, 'late_readings', late),
        ...buildFlatInsert(knex, replacedRows, [...replaced.values()].flat(), {
          key: ['account', 'position'],
          merged: replacedColumns,
        }),
      ];
    },
  };
}

export function toHourKey(subjectId: string, timestampMs: number): string {
  return `${subjectId} ${floorHour(timestampMs)}`;
}

/** Returns the sample of its bodies. All of them have the same reading. */
function toSample(bodies: readonly Row[]): StoredSample {
  const [row] = bodies as [Row];
  const point = toPoint(row);
  const computed = toComputed(row, point);
  return {
    incarnation: row.incarnation,
    key: row.sample,
    timestampMs: row.timestamp_ms,
    revision: point.measured.sample_revision ?? 0,
    // The newest body was sent by a source key only if all were, because it replaces no others.
    isSourced: bodies.every((it) => it.is_sourced === 1),
    digests: new Set(bodies.map(({ body }) => body)),
    position: row.row_position,
    signals: point.measured,
    samples: computed.samples,
    computed,
    stateChange: row.state_change === null ? undefined : JSON.parse(row.state_change),
  };
}
