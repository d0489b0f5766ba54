/** Reads files in a thread of its own, so that the page stays responsive. */
import { type Account, describeAccount } from '../../recordings/account.js';
import type { Fact } from '../../recordings/measurement.js';
import { Minutes, type RecordedReading } from '../../recordings/minutes.js';
import { type FileOptions, readRecordingFile } from '../../recordings/open-file.js';
import { openBlob } from './blob.js';

export interface ReadRequest {
  readonly files: readonly File[];
  readonly options: FileOptions;
  readonly hours: number;
  readonly nowMs: number;
  /** See `Minutes`. */
  readonly marksFacts: boolean;
}

export interface ReadFiles {
  readonly formats: readonly string[];
  readonly readings: readonly RecordedReading[];
  readonly facts: readonly Fact[];
  /** Numbers of skipped values by reason, most first. */
  readonly skipped: ReadonlyArray<readonly [reason: string, count: number]>;
  /** The outcomes of all values. */
  readonly account: Account;
  /** What was inferred, and with the names of fields that are not read. */
  readonly inferred: readonly string[];
  readonly notes: readonly string[];
}

/** A share from 0 to 1 while it reads, then the result or one sentence about the error. */
export type ReadMessage = { readonly share: number } | { readonly result: ReadFiles } | { readonly error: string };

/** The share of a file that is reported anew. */
const step = 0.01;
const database =
  'the database of Health Connect is read by a command only: state-service tools import --backfill --subject ID --file FILE';

addEventListener('message', ({ data }: MessageEvent<ReadRequest>) => void read(data).then(post));

function post(message: ReadMessage): void {
  postMessage(message);
}

async function read({ files, options, hours, nowMs, marksFacts }: ReadRequest): Promise<ReadMessage> {
  const minutes = new Minutes({ hours, nowMs, keep: options.keep, marksFacts });
  const formats = new Set<string>();
  const total = files.reduce((sum, { size }) => sum + size, 0);
  let [before, reported] = [0, 0];
  for (const file of files) {
    const onRead = (bytes: number) => {
      const share = (before + bytes) / total;
      if (share < reported + step) return;
      reported = share;
      post({ share });
    };
    try {
      const found = await readRecordingFile(openBlob(file, onRead), options, minutes, () =>
        Promise.reject(new Error(database)),
      );
      for (const format of found) formats.add(format);
    } catch (error) {
      return { error: `${file.name}: ${(error as Error).message}` };
    }
    before += file.size;
  }
  const readings = minutes.readings();
  const skipped = [...minutes.skipped].sort(([, a], [, b]) => b - a);
  const { account, facts, inferred, notes } = minutes;
  if (readings.length === 0 && facts.length === 0 && skipped.length === 0)
    return { error: `no heart rate, variability or beats were found (values: ${describeAccount(account)})` };
  return { result: { formats: [...formats], readings, facts, skipped, account, inferred, notes } };
}
