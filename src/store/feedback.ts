import type { Knex } from 'knex';
import type { Schema } from '../contract.js';
import { deleteOldest } from './delete-oldest.js';
import { isMysql } from './is-mysql.js';
import { findPositions, toAccountKey } from './reading-row.js';
import { readingsOfSession } from './readings.js';
import { selectRows } from './select-rows.js';

/** The session or the person that a report names. */
export type Reported =
  | { readonly sessionId: string; readonly subjectId?: undefined }
  | { readonly sessionId?: undefined; readonly subjectId: string };

/** The published score of a time: of one reading, or the rounded mean of several. */
export interface Published {
  readonly score: number;
  readonly model: number;
  readonly readings: number;
}

/** What a report says. */
export interface Report {
  readonly id: string;
  /** Epoch ms. */
  readonly timestampMs: number;
  readonly durationSeconds?: number | undefined;
  /** 0 to 10. */
  readonly stress: number;
  readonly noteCode?: Schema<'NoteCode'> | undefined;
  /** Absent if no score was published. */
  readonly published?: Published | undefined;
  /** Epoch ms. */
  readonly recordedAtMs: number;
}

export interface StoredReport extends Report {
  readonly sessionId?: string | undefined;
  /** Absent while the session has no subject. */
  readonly subjectId?: string | undefined;
}

/** A range of time, epoch ms: after `afterMs`, up to `untilMs`. */
export interface ReportedTime {
  readonly afterMs: number;
  readonly untilMs: number;
  /** True if only the newest reading of the range counts. */
  readonly isMoment: boolean;
}

export type FeedbackCursor = Pick<Report, 'timestampMs' | 'id'>;

interface Row {
  readonly feedback_id: string;
  readonly subject_id: string | null;
  readonly session_id: string | null;
  readonly timestamp_ms: number;
  readonly duration_seconds: number | null;
  readonly stress: number;
  readonly note_code: Schema<'NoteCode'> | null;
  readonly stress_score: number | null;
  readonly model_version: number | null;
  readonly readings: number | null;
  readonly recorded_at_ms: number;
}

/** Reads the reports of one account. */
export function feedbackReader(knex: Knex, accountId: string) {
  const account = toAccountKey(accountId);
  const mine = () => knex('feedback').where({ account_id: accountId });

  return {
    /** Returns a report that has one of these ids. */
    async find(ids: readonly string[]): Promise<StoredReport | undefined> {
      const row: Row | undefined = await mine().whereIn('feedback_id', ids).first();
      return row && toReport(row);
    },

    /** Returns at most `max` reports of the account, or of a subject, newest first. `after` is the end of a page. */
    async page(subjectId: string | undefined, after: FeedbackCursor | undefined, max: number): Promise<StoredReport[]> {
      const query = subjectId === undefined ? mine() : mine().where({ subject_id: subjectId });
      if (after) {
        const { timestampMs: timestamp_ms, id } = after;
        query.where('timestamp_ms', '<=', timestamp_ms);
        query.whereNot((it) => it.where({ timestamp_ms }).andWhere('feedback_id', '>=', id));
      }
      const rows: Row[] = await query.orderBy('timestamp_ms', 'desc').orderBy('feedback_id', 'desc').limit(max);
      return rows.map(toReport);
    },

    /**
     * Returns the published score of a time: of the newest reading, or the mean of the readings of the newest model
     * version. Undefined if no reading is stored.
     */
    async findPublished(who: Reported, { afterMs, untilMs, isMoment }: ReportedTime): Promise<Published | undefined> {
      const join = isMysql(knex) ? 'straight_join' : 'cross join';
      const late = `late_readings l ${isMysql(knex) ? 'force index' : 'indexed by'}`;
      const owner = `s.account_id = ? and s.${who.sessionId === undefined ? 'subject_id' : 'session_id'} = ?`;
      const time = 'r.timestamp_ms > ? and r.timestamp_ms <= ?';
      const columns =
        'r.timestamp_ms as atMs, r.position as position, r.stress_score as score, r.model_version as model';
      const lateIndex = isMysql(knex) ? '(late_readings_by_digest)' : 'late_readings_by_digest';
      const found = `select ${columns} from sessions s ${join} ${readingsOfSession(knex)}
          on r.account = ? and r.incarnation = s.incarnation and r.position between ? and ?
        where ${owner} and ${time}
        union all select ${columns} from sessions s ${join} ${late} ${lateIndex}
          on l.account = ? and l.incarnation = s.incarnation and l.timestamp_ms > ? and l.timestamp_ms <= ?
          ${join} session_readings r on r.account = l.account and r.position = l.position
        where ${owner} and l.position not between ? and ?`;
      const sql = isMoment
        ? `${found} order by atMs desc, position desc limit 1`
        : `select model, count(*) as readings, sum(score) as total from (${found}) as recent
            group by model order by model desc limit 1`;
      const id = [accountId, who.sessionId ?? who.subjectId];
      const [positions, times] = [
        [findPositions(afterMs)[0], findPositions(untilMs)[1]],
        [afterMs, untilMs],
      ];
      const bindings = [account, ...positions, ...id, ...times, account, ...times, ...id, ...positions];
      type Found = Readonly<Record<'model' | 'score' | 'readings' | 'total', number>>;
      const [row] = await selectRows<Found>(knex, { sql, bindings });
      if (!row || isMoment) return row && { score: row.score, model: row.model, readings: 1 };
      // MySQL returns a sum as text.
      return { score: Math.round(Number(row.total) / row.readings), model: row.model, readings: row.readings };
    },
  };
}

/** Writes the reports of one account in a transaction. `version` is that of the transaction. */
export function feedbackWriter(transaction: Knex, accountId: string, version: string) {
  const { find } = feedbackReader(transaction, accountId);
  const mine = (table: string) => transaction(table).where({ account_id: accountId });
  const claim = async (table: string, key: object) =>
    (await mine(table).where(key).whereNotNull('body').update({ version })) > 0;

  return {
    /**
     * Locks the session, then its subject, or the subject. Returns undefined if the account has no data of it.
     *
     * Writes their versions. An erasure therefore either waits for this transaction and deletes the report, or the
     * transaction finds no subject. On a cluster, an erasure on another node conflicts with the write.
     */
    async lock({ sessionId, subjectId }: Reported) {
      if (sessionId === undefined)
        return (await claim('subjects', { subject_id: subjectId })) ? { subject_id: subjectId } : undefined;
      if (!(await claim('sessions', { session_id: sessionId }))) return undefined;
      const session: { readonly subject_id: string | null; readonly incarnation: string } = await mine('sessions')
        .where({ session_id: sessionId })
        .first('subject_id', 'incarnation');
      if (session.subject_id !== null) await claim('subjects', { subject_id: session.subject_id });
      return { session_id: sessionId, ...session };
    },

    find,

    /** Stores a report of a locked session or subject. */
    async add(report: Report, owner: Readonly<Record<string, string | null>>): Promise<void> {
      const { published } = report;
      await transaction('feedback').insert({
        account_id: accountId,
        feedback_id: report.id,
        ...owner,
        timestamp_ms: report.timestampMs,
        duration_seconds: report.durationSeconds ?? null,
        stress: report.stress,
        note_code: report.noteCode ?? null,
        stress_score: published?.score ?? null,
        model_version: published?.model ?? null,
        readings: published?.readings ?? null,
        recorded_at_ms: report.recordedAtMs,
      });
    },

    /** Adds the subject to the reports of a session that is bound to a subject after its first reading. */
    async nameSubject(session_id: string, incarnation: string, subject_id: string): Promise<void> {
      await mine('feedback').where({ session_id, incarnation }).whereNull('subject_id').update({ subject_id });
    },

    /** Deletes the reports of a subject. Returns their number. */
    async removeAll(subjectId: string): Promise<number> {
      return mine('feedback').where({ subject_id: subjectId }).delete();
    },
  };
}

/** Deletes at most `batch` reports of a subject. Returns their number. */
export async function eraseSomeFeedback(
  knex: Knex,
  accountId: string,
  subjectId: string,
  batch: number,
): Promise<number> {
  const mine = knex('feedback').where({ account_id: accountId });
  const ids: string[] = await mine.clone().where({ subject_id: subjectId }).limit(batch).pluck('feedback_id');
  return ids.length === 0 ? 0 : mine.whereIn('feedback_id', ids).delete();
}

/** Deletes at most `batch` reports about a time before `beforeMs`. Returns their number. */
export function purgeFeedback(knex: Knex, beforeMs: number, batch: number): Promise<number> {
  return deleteOldest(knex, 'feedback', 'timestamp_ms', beforeMs, batch);
}

function toReport(row: Row): StoredReport {
  const { stress_score: score, model_version: model, readings } = row;
  return {
    id: row.feedback_id,
    sessionId: row.session_id ?? undefined,
    subjectId: row.subject_id ?? undefined,
    timestampMs: row.timestamp_ms,
    durationSeconds: row.duration_seconds ?? undefined,
    stress: row.stress,
    noteCode: row.note_code ?? undefined,
    published: score === null || model === null || readings === null ? undefined : { score, model, readings },
    recordedAtMs: row.recorded_at_ms,
  };
}
