import { ConnectionError } from './connection-error.js';
import type { CallOptions } from './options.js';
import { errorOf } from './problem-error.js';
import { sleep } from './retry.js';
import type { ExportedReading } from './schemas.js';
import { isFinal, waitAfter } from './stream.js';
import { receive } from './stream-connection.js';
import { read, type Transport } from './transport.js';

/** The readings to export. `sessionId` and `subjectId` exclude each other. */
export interface ExportOptions {
  /** Only readings of this session. Default: the whole account, or the session of the token. */
  readonly sessionId?: string;
  /** Only readings of this person. */
  readonly subjectId?: string;
  /** Continue after the row with this cursor. */
  readonly cursor?: string;
}

const mediaType = 'application/x-ndjson';
/** Longest row that is accepted, in characters. The service sends at most a few thousand. */
const rowSizeMax = 1_000_000;
const backoffMs = 250;

/**
 * Yields the rows of an export. Continues after the last row when the connection breaks. Throws an error that another
 * attempt cannot fix, and the last error after `maxRetries` attempts without a row.
 */
export async function* exportReadings(
  { api, once, limitsOf }: Transport,
  { sessionId, subjectId, cursor }: ExportOptions,
  call: CallOptions,
): AsyncGenerator<ExportedReading, void, undefined> {
  const { maxRetries, waitBudgetMs, timeoutMs } = limitsOf(call);
  const asked = {
    ...(sessionId !== undefined && { session_id: sessionId }),
    ...(subjectId !== undefined && { subject_id: subjectId }),
  };
  const connect = async (signal: AbortSignal) => {
    const query = { ...asked, ...(cursor !== undefined && { cursor }) };
    const answered = await api.GET('/v1/export', { ...once(signal, call), params: { query } });
    const body = read(answered);
    // A proxy may respond with a page of its own.
    if (!body || !answered.response.headers.get('content-type')?.startsWith(mediaType))
      throw errorOf(undefined, answered.response);
    return body;
  };
  let budgetMs = waitBudgetMs;
  for (let failures = 0; ;) {
    const before = cursor;
    const startParser = () => lines((row) => (cursor = row.cursor));
    const { error } = yield* receive({ connect, signal: call.signal, timeoutMs, silenceMs: timeoutMs, startParser });
    if (!error) return;
    if (cursor !== before) [failures, budgetMs] = [0, waitBudgetMs];
    const waitMs = waitAfter(error, backoffMs * 2 ** failures * (1 + Math.random() / 2));
    budgetMs -= waitMs;
    failures += 1;
    if (isFinal(error) || failures > maxRetries || budgetMs < 0) throw error;
    await sleep(waitMs, call.signal);
  }
}

/** Returns a parser of lines. `onRow` is called with each complete row. */
function lines(onRow: (row: ExportedReading) => void): (text: string) => ExportedReading[] {
  let rest = '';
  return (text) => {
    const complete = (rest + text).split('\n');
    rest = complete.pop() ?? '';
    if (rest.length > rowSizeMax) throw new ConnectionError('the export contains a line that is too long', undefined);
    return complete.map((line) => {
      const row: ExportedReading = JSON.parse(line);
      onRow(row);
      return row;
    });
  };
}
