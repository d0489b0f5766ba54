import { ConnectionError } from './connection-error.js';
import type { CallOptions } from './options.js';
import { parseResult, UnexpectedAnswerError } from './problem-error.js';
import { sleep } from './retry.js';
import type { ExportedReading, ExportFormat } from './schemas.js';
import { isFinal, waitAfter } from './stream.js';
import { receive } from './stream-connection.js';
import { readBody, type Transport } from './transport.js';

/** The readings to export. `sessionId` and `subjectId` exclude each other. */
export interface ExportOptions {
  /** Only readings of this session. Default: the whole account, or the session of the token. */
  readonly sessionId?: string;
  /** Only readings of this person. */
  readonly subjectId?: string;
  /** Continue after the row with this cursor. */
  readonly cursor?: string;
  /** Called when a connection was lost, before the export continues in `waitMs`. An error that it throws ends the export. */
  readonly onDisconnect?: (error: Error, waitMs: number) => void;
}

export interface ExportRowsOptions extends ExportOptions {
  /** Default: `ndjson`. */
  readonly format?: ExportFormat;
}

/** Complete rows of an export. */
export interface ExportedRows {
  /** The rows with their line breaks. A CSV starts with its header row, unless the export continues after a cursor. */
  readonly text: string;
  /** Number of readings. */
  readonly count: number;
  /** Cursor of the last row. Undefined if there is only a header row. */
  readonly cursor: string | undefined;
}

const mediaTypes = { ndjson: 'application/x-ndjson', csv: 'text/csv' };
/** Longest row that is accepted, in characters. The service sends at most a few thousand. */
const rowSizeMax = 1_000_000;
const backoffMs = 250;

/** Yields the readings of an export, see `exportRows`. */
export async function* exportReadings(
  transport: Transport,
  options: ExportOptions,
  call: CallOptions,
): AsyncGenerator<ExportedReading, void, undefined> {
  for await (const { text } of exportRows(transport, options, call))
    for (const row of text.trimEnd().split('\n')) yield parseResult<ExportedReading>(row);
}

/**
 * Yields the rows of an export as they arrive. Continues after the last row when the connection breaks. Throws an error
 * that another attempt cannot fix, and the last error after `maxRetries` attempts without a row.
 */
export async function* exportRows(
  { api, once, limitsOf }: Transport,
  { sessionId, subjectId, cursor, format = 'ndjson', onDisconnect }: ExportRowsOptions,
  call: CallOptions,
): AsyncGenerator<ExportedRows, void, undefined> {
  const { maxRetries, waitBudgetMs, timeoutMs } = limitsOf(call);
  const asked = {
    ...(sessionId !== undefined && { session_id: sessionId }),
    ...(subjectId !== undefined && { subject_id: subjectId }),
    ...(format !== 'ndjson' && { format }),
  };
  const position: Position = { cursor, hasHeader: false, rest: '' };
  const connect = async (signal: AbortSignal) => {
    const query = { ...asked, ...(position.cursor !== undefined && { cursor: position.cursor }) };
    return readBody(await api.GET('/v1/export', { ...once(signal, call), params: { query } }), mediaTypes[format]);
  };
  const startParser = () => splitRows(format, position);
  let budgetMs = waitBudgetMs;
  for (let failures = 0; ;) {
    const before = position.cursor;
    const ended = yield* receive({ connect, signal: call.signal, timeoutMs, silenceMs: timeoutMs, startParser });
    // A proxy may end a broken response as if it were complete.
    const error = ended.error ?? (position.rest === '' ? undefined : broken('the export ended inside a row'));
    if (!error) return;
    if (position.cursor !== before) [failures, budgetMs] = [0, waitBudgetMs];
    const waitMs = waitAfter(error, backoffMs * 2 ** failures * (1 + Math.random() / 2));
    budgetMs -= waitMs;
    failures += 1;
    if (isFinal(error) || failures > maxRetries || budgetMs < 0) throw error;
    onDisconnect?.(error, waitMs);
    await sleep(waitMs, call.signal);
  }
}

/** What the caller has received. */
interface Position {
  cursor: string | undefined;
  hasHeader: boolean;
  /** Start of an incomplete row. */
  rest: string;
}

/** Returns a parser of one response. Updates the position, and leaves out a header row that the caller has. */
function splitRows(format: ExportFormat, position: Position): (text: string) => ExportedRows[] {
  let isHeaderNext = format === 'csv' && position.cursor === undefined;
  position.rest = '';
  return (arrived) => {
    const all = position.rest + arrived;
    const end = all.lastIndexOf('\n') + 1;
    position.rest = all.slice(end);
    if (position.rest.length > rowSizeMax) throw broken('the export contains a row that is too long');
    if (end === 0) return [];
    const rowsStart = isHeaderNext ? all.indexOf('\n') + 1 : 0;
    const text = all.slice(isHeaderNext && position.hasHeader ? rowsStart : 0, end);
    const count = all.slice(rowsStart, end).split('\n').length - 1;
    if (count > 0) position.cursor = requireCursor(all.slice(0, end), format);
    isHeaderNext = false;
    position.hasHeader = true;
    return text === '' ? [] : [{ text, count, cursor: position.cursor }];
  };
}

function requireCursor(rows: string, format: ExportFormat): string {
  const cursor = lastCursor(rows, format);
  // The response is not an export, or the export could not continue after its last row.
  if (cursor === undefined) throw new UnexpectedAnswerError(200);
  return cursor;
}

/** Returns the cursor of the last of complete rows, to continue an export. Undefined if they are not rows of an export. */
export function lastCursor(rows: string, format: ExportFormat): string | undefined {
  const row = rows.slice(rows.lastIndexOf('\n', rows.length - 2) + 1).trimEnd();
  if (format === 'csv') return /,(\d+)$/.exec(row)?.[1];
  try {
    return (JSON.parse(row) as Partial<ExportedReading>).cursor;
  } catch {
    return undefined;
  }
}

function broken(message: string): ConnectionError {
  return new ConnectionError(message, undefined);
}
