import type { Schema } from '../contract/contract.js';
import { type SessionOrPerson, toNames, type Whose } from '../contract/whose.js';
import { nameColumns, type Nullable, omitNulls, startAfter, toColumns } from './columns.js';
import { findPublished, type ReportedTime, type ScoreAtReport } from './published-score.js';
import { pageRows } from './scan.js';
import type { ReadScope, SlicedScope, WriteScope } from './scope.js';

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

/** The locked rows that a report belongs to. */
export interface ReportOwner {
  readonly session_id?: string;
  readonly incarnation?: string;
  /** Null for a session without a person. */
  readonly subject_id: string | null;
}

export type FeedbackCursor = Pick<Report, 'timestampMs' | 'id'>;

const columns = {
  ...nameColumns('subjectId sessionId timestampMs durationSeconds stress noteCode readings recordedAtMs'),
  ...{ id: 'feedback_id', score: 'stress_score', model: 'model_version' },
};

type Fields = Omit<StoredReport, 'published'> & Partial<ScoreAtReport>;

export function createFeedbackReader({ knex, accountId }: ReadScope) {
  const mine = () => knex('feedback').where({ account_id: accountId });

  return {
    /** Returns a report that has one of these ids. */
    async find(ids: readonly string[]): Promise<StoredReport | undefined> {
      const row: Nullable<Fields> | undefined = await mine().whereIn('feedback_id', ids).first(columns);
      return row && toReport(row);
    },

    findPublished: (whose: SessionOrPerson, time: ReportedTime) => findPublished(knex, accountId, whose, time),
  };
}

/**
 * Returns at most `max` reports, newest first. `after` is the end of the previous page.
 */
export async function listReports(
  { knex, accountId, pause }: SlicedScope,
  whose: Whose,
  after: FeedbackCursor | undefined,
  max: number,
): Promise<StoredReport[]> {
  const mine = { account_id: accountId, ...toNames(whose) };
  const all: StoredReport[] = [];
  for (let last = after; ; last = all.at(-1)) {
    const place = { timestamp_ms: last?.timestampMs, feedback_id: last?.id };
    const query = startAfter(knex('feedback').where(mine).select(columns), 'desc', place);
    const length = Math.min(pageRows, max - all.length);
    const rows: Array<Nullable<Fields>> = await query.limit(length);
    all.push(...rows.map(toReport));
    await pause(rows.length);
    if (rows.length < length || all.length === max) return all;
  }
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
    async lock(whose: SessionOrPerson): Promise<ReportOwner | undefined> {
      const names = toNames(whose);
      if (whose.kind === 'person')
        return (await claim('subjects', names)) ? { subject_id: whose.subjectId } : undefined;
      if (!(await claim('sessions', names))) return undefined;
      const session: Omit<ReportOwner, 'session_id'> = await mine('sessions')
        .where(names)
        .first('subject_id', 'incarnation');
      if (session.subject_id !== null) await claim('subjects', { subject_id: session.subject_id });
      return { session_id: whose.sessionId, ...session };
    },

    find,

    /** Stores a report of a locked session or subject. */
    async add(report: Report, owner: ReportOwner): Promise<void> {
      const { published, ...fields } = report;
      const row = toColumns(columns, { ...fields, ...published });
      await transaction('feedback').insert({ ...row, account_id: accountId, ...owner });
    },
  };
}

function toReport(row: Nullable<Fields>): StoredReport {
  const { score, model, readings, ...report } = omitNulls<Fields>(row);
  return score === undefined || model === undefined || readings === undefined
    ? report
    : { ...report, published: { score, model, readings } };
}
