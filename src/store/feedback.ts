import type { Schema } from '../contract/contract.js';
import { findPublished, type ScoreAtReport, type ReportedObject, type ReportedTime } from './published-score.js';
import type { ReadScope, WriteScope } from './scope.js';

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
  readonly published?: ScoreAtReport | undefined;
  /** Epoch ms. */
  readonly recordedAtMs: number;
}

export interface StoredReport extends Report {
  readonly sessionId?: string | undefined;
  /** Absent while the session has no subject. */
  readonly subjectId?: string | undefined;
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
export function createFeedbackReader({ knex, accountId }: ReadScope) {
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

    findPublished: (who: ReportedObject, time: ReportedTime) => findPublished(knex, accountId, who, time),
  };
}

/** Writes the reports of one account in a transaction. `version` is that of the transaction. */
export function createFeedbackWriter(scope: WriteScope) {
  const { knex: transaction, accountId, version } = scope;
  const { find } = createFeedbackReader(scope);
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
    async lock({ sessionId, subjectId }: ReportedObject) {
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
  };
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
