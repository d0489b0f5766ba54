/**
 * Downloads stored readings from a running service to a file or standard output, and draws them. Continues after a lost
 * connection. Standard output contains only the rows.
 */
import { resolve } from 'node:path';
import type { Schema } from '../contract.js';
import { type Counter, startCounter } from '../terminal/counter.js';
import { drawExport } from '../terminal/export-timeline.js';
import { requireWritable, save } from '../terminal/save.js';
import { requireKey } from '../terminal/service.js';
import { createThinnedReadings } from '../terminal/thinned-readings.js';
import { createChartReader } from './download/chart-readings.js';
import type { ExportQuery } from './download/connection.js';
import { download } from './download/download.js';
import { type Opened, openOutput } from './download/open-output.js';
import type { Rows } from './download/rows.js';
import { stopOnSignals } from './stop-on-signals.js';

export interface ExportOptions {
  readonly url: string;
  readonly key?: string;
  readonly session?: string;
  readonly subject?: string;
  readonly format: Schema<'ExportFormat'>;
  /** Cursor of the last row that the user has. */
  readonly cursor?: string;
  /** Path of the file. Standard output if absent or `-`. */
  readonly out?: string;
  /** Continues the file of an interrupted export. */
  readonly resume: boolean;
  /** Path of an SVG of the session or person. */
  readonly plot?: string;
}

/** Attempts in sequence without a row, over about half a minute: long enough for the restart of a service. */
const defaultRetries = { triesMax: 7, backoffMs: 500 };

export async function exportReadings(options: ExportOptions, retries = defaultRetries): Promise<void> {
  const key = requireKey(options.key);
  check(options);
  const query = queryOf(options);
  const chart = options.plot === undefined ? undefined : createChart(options.plot, query);
  if (options.plot !== undefined) await requireWritable('--plot', options.plot);
  const signal = stopOnSignals();
  const opened = await openOutput(options, query, { signal, onRows: (rows) => chart?.add(rows) });
  // On a terminal that shows the rows, the progress would be between them.
  const counter = startCounter(process.stderr, 'readings', process.stderr.isTTY && !opened.isTerminal);
  const service = { url: options.url, key, signal };
  const count = await transfer(download(service, query, opened.start, { ...retries, onRetry: noteOn(counter) }), {
    ...{ opened, counter, signal },
    onRows: (rows) => chart?.add(rows),
  });
  if (count === undefined) return;
  const earlier = opened.count > 0 ? ` after ${opened.count.toLocaleString('en')} that were already there` : '';
  console.error(`Exported ${count.toLocaleString('en')} ${count === 1 ? 'reading' : 'readings'}${earlier}.`);
  await chart?.save();
}

/** Throws an error before anything is written if options do not fit together. */
function check({ session, subject, format, cursor, out = '-', resume, plot }: ExportOptions): void {
  if (session !== undefined && subject !== undefined) throw new Error('pass either --session or --subject');
  if (resume && out === '-') throw new Error('--resume requires --out, the file that an interrupted export wrote');
  if (plot === undefined) return;
  if (session === undefined && subject === undefined)
    throw new Error('--plot draws one session or one person: add --session ID or --subject ID');
  if (format === 'csv' && cursor !== undefined)
    throw new Error('--plot requires --format ndjson with --cursor, because a continued CSV has no header row');
  if (out !== '-' && resolve(out) === resolve(plot)) throw new Error('--out and --plot name the same file');
}

function queryOf({ session, subject, format, cursor }: ExportOptions): ExportQuery {
  return {
    format,
    ...(session !== undefined && { session_id: session }),
    ...(subject !== undefined && { subject_id: subject }),
    ...(cursor !== undefined && { cursor }),
  };
}

function createChart(path: string, { format, session_id, subject_id }: ExportQuery) {
  const readings = createThinnedReadings();
  const read = createChartReader(format);
  const name = session_id === undefined ? `Person ${subject_id}` : `Session ${session_id}`;
  return {
    add: ({ bytes }: Rows) => read(bytes).forEach(readings.add),
    save: () => save(path, drawExport({ name, count: readings.count(), readings: readings.kept() }), '--plot'),
  };
}

function noteOn(counter: Counter): (reason: string, waitMs: number) => void {
  return (reason, waitMs) => counter.note(`Export interrupted (${reason}). The next attempt is in ${waitMs / 1000} s.`);
}

interface Transfer {
  readonly opened: Opened;
  readonly counter: Counter;
  readonly signal: AbortSignal;
  readonly onRows: (rows: Rows) => void;
}

/**
 * Writes the rows. Returns the number of readings, or undefined after a signal. Rejects with an error that says how to
 * continue.
 */
async function transfer(
  rows: AsyncIterable<Rows>,
  { opened: { output, start }, counter, signal, onRows }: Transfer,
): Promise<number | undefined> {
  let [count, cursor] = [0, start.cursor];
  try {
    for await (const it of rows) {
      // Before the write, because a signal may end it after the rows have reached standard output.
      cursor = it.cursor ?? cursor;
      count += it.count;
      await output.write(it.bytes);
      counter.advance(it.count);
      onRows(it);
    }
    await output.complete();
    return count;
  } catch (error) {
    counter.stop();
    const advice = await output.abandon(count > 0 ? cursor : undefined);
    if (!signal.aborted) throw new Error([(error as Error).message, advice].filter(Boolean).join('. '));
    // After an error of standard output, its end is unknown, and its reader expects no message.
    if (advice && Number(process.exitCode) > 1) console.error(`${advice}.`);
    return undefined;
  } finally {
    counter.stop();
  }
}
