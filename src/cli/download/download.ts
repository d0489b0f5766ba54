import { setTimeout as sleep } from 'node:timers/promises';
import { type ServiceAddress, unreachable, UnusableService } from '../../terminal/service.js';
import { type ExportQuery, InterruptedExport, receive } from './connection.js';
import { createRowSplitter, type Header, type Rows } from './rows.js';

/** Where an export starts. */
export interface Start {
  /** Cursor of the last row that the output contains. */
  readonly cursor?: string | undefined;
  /** Whether the output contains the header row of a CSV. */
  readonly hasHeader: boolean;
}

export interface Retries {
  /** Maximum number of attempts in sequence that bring no row. */
  readonly triesMax: number;
  /** Wait after the first of them, ms. Doubles with each further one. */
  readonly backoffMs: number;
  /** Called before the wait. */
  readonly onRetry: (reason: string, waitMs: number) => void;
}

const backoffMaxMs = 16_000;

/**
 * Yields the rows of an export. Continues after the last row when the connection is lost or the service is busy, so that
 * no row is missing or repeated. Throws UnusableService after too many attempts, or if an attempt cannot succeed.
 */
export async function* download(
  service: ServiceAddress,
  query: ExportQuery,
  start: Start,
  retries: Retries,
): AsyncGenerator<Rows, void> {
  let { cursor, hasHeader } = start;
  for (let failures = 0, isFirst = true; ; isFirst = false) {
    try {
      const asked = { ...query, ...(cursor !== undefined && { cursor }) };
      for await (const rows of attempt(service, asked, headerOf(asked, hasHeader))) {
        yield rows;
        hasHeader = true;
        // A header row alone is no progress.
        if (rows.cursor !== undefined) [cursor, failures] = [rows.cursor, 0];
      }
      return;
    } catch (error) {
      if (!(error instanceof InterruptedExport)) throw error;
      failures += 1;
      if (isFirst && !error.details.hasAnswered) throw unreachable(service.url, error);
      if (failures >= retries.triesMax)
        throw new UnusableService(`the export failed after ${failures} attempts (${error.message})`);
      const waitMs = waitAfter(error, failures, retries.backoffMs);
      retries.onRetry(error.message, waitMs);
      await sleep(waitMs, undefined, { signal: service.signal });
    }
  }
}

async function* attempt(service: ServiceAddress, query: ExportQuery, header: Header): AsyncGenerator<Rows, void> {
  const splitter = createRowSplitter(query.format, header);
  for await (const chunk of receive(service, query)) {
    const rows = splitter.push(chunk);
    if (rows) yield rows;
  }
  // A proxy may end a broken response as if it were complete.
  if (splitter.isInRow()) throw new InterruptedExport('the response ended inside a row', { hasAnswered: true });
}

function headerOf({ format, cursor }: ExportQuery, hasHeader: boolean): Header {
  if (format !== 'csv' || cursor !== undefined) return 'absent';
  return hasHeader ? 'repeated' : 'expected';
}

/** Returns the wait in ms. A longer one that the service states takes precedence. */
function waitAfter({ details }: InterruptedExport, failures: number, backoffMs: number): number {
  const growing = Math.min(backoffMs * 2 ** (failures - 1), backoffMaxMs);
  return Math.max((details.waitSeconds ?? 0) * 1000, growing);
}
