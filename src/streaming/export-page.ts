import { dataExport as settings } from '../../generated/spec.js';
import type { Schema, TokenGrant } from '../contract/contract.js';
import { ProblemError } from '../contract/problem.js';
import { type StoredResult, toExportedReading } from '../score/exported-reading.js';
import { createTimestampFormatter } from '../score/history.js';
import { isForPerson, restrictToToken } from '../score/live.js';
import { type PositionRange, createPositionReader } from '../store/readings-by-position.js';
import { inSlices, type Pause, type SlicedScope } from '../store/scope.js';
import { createSessionReader } from '../store/sessions.js';
import type { Store } from '../store/store.js';
import { findStreamHeads, positionsPerMs } from '../store/stream-positions.js';
import { createSubjectReader } from '../store/subjects.js';
import { csvHeader, toCsvRow } from './csv.js';

export type ExportFormat = Schema<'ExportFormat'>;

/** The readings of an export. Plain data, because it is sent to another thread. */
export interface ExportScope {
  readonly accountId: string;
  readonly sessionId?: string | undefined;
  /** Only readings of this subject. Not together with `sessionId`. */
  readonly subjectId?: string | undefined;
  readonly format: ExportFormat;
  /** Set for a session token. */
  readonly grant?: TokenGrant | undefined;
}

export interface ExportPosition {
  /** Position of the last reading that the client has. */
  readonly after: number;
  /** Position of the last reading of the export. */
  readonly through: number;
  /** Length of the range of positions in which the readings of a subject are searched. */
  readonly span: number;
}

export interface ExportPage {
  /** Complete rows. Empty if the searched range contains no reading. */
  readonly text: string;
  /** Undefined after the last page. */
  readonly next: ExportPosition | undefined;
}

/** Readings of a subject. Empty if the searched ranges contain none. `next` is undefined after the last page. */
export interface SubjectPage<Row> {
  readonly found: readonly Row[];
  readonly next: ExportPosition | undefined;
}

/** Maximum number of position ranges that one page searches, so that a page takes milliseconds. */
const searchesMax = 16;
/** Length of the first range of positions that is searched for the readings of a subject. */
export const firstSpan = 60_000 * positionsPerMs;

/**
 * Returns the start of an export, after the row with the position `cursor` if given. The export ends with the reading
 * that is the newest one now, so that new readings do not prolong it. Rejects with a ProblemError (404) if the account
 * has no data for the session or subject.
 */
export async function beginExport(
  store: Store,
  { accountId, sessionId, subjectId }: ExportScope,
  cursor: number | undefined,
): Promise<ExportPosition> {
  const scope = store.read(accountId);
  let first = 0;
  if (sessionId !== undefined && !(await createSessionReader(scope).find(sessionId)))
    throw new ProblemError('session_not_found');
  if (subjectId !== undefined) {
    const startedAtMs = await createPositionReader(scope).firstSessionOf(subjectId);
    if (startedAtMs === undefined && !(await createSubjectReader(scope).find(subjectId)))
      throw new ProblemError('subject_not_found');
    // No position of a session is lower than the time of its start.
    first = (startedAtMs ?? 0) * positionsPerMs - 1;
  }
  const [head] = await store.run((knex) => findStreamHeads(knex, [accountId]));
  return { after: Math.max(cursor ?? 0, first), through: head?.position ?? 0, span: firstSpan };
}

/** Reads the next rows of an export, at most `page_rows`. */
export async function readExportPage(rows: SlicedScope, scope: ExportScope, from: ExportPosition): Promise<ExportPage> {
  const { sessionId, subjectId, format, grant } = scope;
  const readings = createPositionReader(rows);
  const max = settings.page_rows;
  if (subjectId !== undefined) {
    const { found, next } = await searchSubject((range) => readings.exportSubject(subjectId, range, max), from, max);
    return { text: await toText(found, format, rows.pause), next };
  }
  const found =
    sessionId === undefined
      ? await readings.exportAccount(from, max)
      : await readings.exportSession(sessionId, from, max);
  const last = found.at(-1);
  return {
    text: await toText(grant ? found.map((it) => restrict(it, grant)) : found, format, rows.pause),
    next: last && found.length === max ? { ...from, after: last.position } : undefined,
  };
}

/** Returns a row as the holder of a session token gets it. */
function restrict(row: StoredResult, grant: TokenGrant): StoredResult {
  const { score, confidence } = row.computed.alone ?? row;
  const computed = restrictToToken(row.computed, grant, row.subjectId);
  if (isForPerson(grant, row.subjectId) || !row.computed.alone) return { ...row, computed };
  return { ...row, score, confidence, computed, previousState: undefined };
}

/**
 * Searches at most `max` readings of a subject in ranges of positions. `read` returns the readings of a range in any
 * order, or `max + 1` of them if there are more. A range limits the work of the database, because the readings of several
 * sessions must be sorted. Its length follows the density of the readings.
 */
export async function searchSubject<Row extends { readonly position: number }>(
  read: (range: PositionRange) => Promise<Row[]>,
  from: ExportPosition,
  max: number,
): Promise<SubjectPage<Row>> {
  let { after, span } = from;
  for (let searches = 0; after < from.through && searches < searchesMax; searches += 1) {
    const through = Math.min(after + span, from.through);
    const found = await read({ after, through });
    if (found.length > max) {
      span = Math.max(1, Math.floor((through - after) / 4));
      continue;
    }
    after = through;
    if (found.length < max / 4) span *= 2;
    const next = after < from.through ? { ...from, after, span } : undefined;
    if (found.length > 0) return { found: found.sort((a, b) => a.position - b.position), next };
  }
  return { found: [], next: after < from.through ? { ...from, after, span } : undefined };
}

async function toText(found: readonly StoredResult[], format: ExportFormat, pause: Pause): Promise<string> {
  const writeInstant = createTimestampFormatter();
  const toRow = format === 'csv' ? toCsvRow : toLine;
  let text = '';
  await pause(found.length);
  for await (const part of inSlices(found, pause))
    for (const stored of part) text += toRow(toExportedReading(stored, writeInstant));
  return text;
}

function toLine(row: Schema<'ExportedReading'>): string {
  return `${JSON.stringify(row)}\n`;
}

/** Returns the text before the first row. A continued export has none, so that it can be appended to the first part. */
export function formatStart(format: ExportFormat, isContinued: boolean): string {
  return format === 'csv' && !isContinued ? csvHeader : '';
}
