/**
 * Downloads stored readings from a running service to a file or standard output. Continues after a lost connection. Standard output contains only the rows.
 */
import type { CallOptions, ExportedRows, StateClient } from '../client/src/index.js';
import { type Counter, startCounter } from './terminal/progress.js';
import { openOutput, type Output, type Selection } from './export-output.js';
import { describeReason } from './send-batch.js';
import { connect, explain, type ServiceOptions } from './service.js';
import { stopOnSignals } from './stop-on-signals.js';

export interface ExportOptions extends ServiceOptions {
  readonly session?: string;
  readonly subject?: string;
  readonly format: Selection['format'];
  /** Cursor of the last row that the user has. */
  readonly cursor?: string;
  /** Path of the file. Standard output if absent or `-`. */
  readonly out?: string;
  /** Continues the file of an interrupted export. */
  readonly resume: boolean;
}

/** Attempts in sequence without a row, over about half a minute: long enough for the restart of a service. */
const defaultRetries: CallOptions = { maxRetries: 6 };

export async function exportReadings(options: ExportOptions, retries = defaultRetries): Promise<void> {
  const client = connect(options);
  check(options);
  const { url, out, resume } = options;
  const selection = select(options);
  const signal = stopOnSignals();
  const output = await openOutput(selection, { ...(out !== undefined && { out }), resume, signal });
  // If a terminal shows the rows, the progress is off, because it would appear between the rows.
  const counter = startCounter(process.stderr, 'readings', process.stderr.isTTY && !output.isTerminal);
  const rows = download(client, { ...selection, cursor: output.cursor }, counter, { ...retries, signal });
  const outcome = await transfer(rows, output, counter).finally(() => counter.stop());
  if ('error' in outcome) return settle(outcome, url, signal);
  const earlier = output.count > 0 ? ` after ${output.count.toLocaleString('en')} that were already there` : '';
  console.error(`Exported ${outcome.count.toLocaleString('en')} reading${outcome.count === 1 ? '' : 's'}${earlier}.`);
}

/** Requests the rows after the cursor. Ends at once if the service never responded: its address is probably wrong. */
function download(
  client: StateClient,
  { cursor, ...selection }: Omit<Selection, 'cursor'> & { readonly cursor: string | undefined },
  counter: Counter,
  call: CallOptions,
): AsyncIterable<ExportedRows> {
  let hasAnswered = false;
  const onDisconnect = (error: Error, waitMs: number) => {
    if (!hasAnswered) throw error;
    counter.note(
      `Export interrupted (${describeReason(error)}). The next attempt is in ${(waitMs / 1000).toFixed(1)} s.`,
    );
  };
  return client.exportRows(
    { ...selection, ...(cursor !== undefined && { cursor }), onDisconnect },
    { ...call, onResponse: () => (hasAnswered = true) },
  );
}

/** Throws an error before anything is written if options do not fit together. */
function check({ session, subject, out = '-', resume }: ExportOptions): void {
  if (session !== undefined && subject !== undefined) throw new Error('pass either --session or --subject');
  if (resume && out === '-') throw new Error('--resume requires --out, the file that an interrupted export wrote');
}

function select({ session, subject, format, cursor }: ExportOptions): Selection {
  return {
    format,
    ...(session !== undefined && { sessionId: session }),
    ...(subject !== undefined && { subjectId: subject }),
    ...(cursor !== undefined && { cursor }),
  };
}

interface Interrupted {
  readonly error: unknown;
  /** Says how to continue. Undefined if no row was written. */
  readonly advice: string | undefined;
}

/** Writes the rows. Resolves with their number, or with the error and how to continue. */
async function transfer(
  rows: AsyncIterable<ExportedRows>,
  output: Output,
  counter: Counter,
): Promise<{ count: number } | Interrupted> {
  let [count, cursor] = [0, output.cursor];
  try {
    for await (const it of rows) {
      // Set before the write: a signal may end the write after the rows have reached standard output.
      cursor = it.cursor ?? cursor;
      count += it.count;
      await output.write(it.text);
      counter.advance(it.count);
    }
    await output.complete();
    return { count };
  } catch (error) {
    return { error, advice: await output.abandon(count > 0 ? cursor : undefined) };
  }
}

/** Throws the error with the advice. After a signal, prints only the advice. */
function settle({ error, advice }: Interrupted, url: string, signal: AbortSignal): void {
  if (!signal.aborted) {
    const { message } = explain(error, url, remedies);
    throw new Error([message, advice].filter(Boolean).join('. '));
  }
  // An exit code of 0 or 1 means that standard output has failed. The last row that its reader got is then unknown.
  if (advice && Number(process.exitCode) > 1) console.error(`${advice}.`);
}

const remedies = {
  404: ': check --session or --subject, which are case-sensitive, and whether the key belongs to their account',
  422: ': check --cursor, --session and --subject',
};
