/** Runs a reader over the corpus of recordings and prints a table. The exit code is 1 if a file is read wrong. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { Minutes } from '../recordings/minutes.js';
import { readRecordingFile } from './recordings/load-recording.js';
import { formatTable, type TableFormat } from './terminal/table.js';

export interface ConformanceOptions extends TableFormat {
  /** A command of the shell. */
  readonly reader?: string;
  /** Folder with `corpus.json`. */
  readonly corpus: string;
  /** Name of a file whose minutes are printed. Its content is standard input. */
  readonly minutes?: string;
}

/** A minute: `time`, the start in UTC as `2026-11-20T09:00Z`, and mean values by field, e.g. `heart_rate`. */
export type Minute = Readonly<Record<string, string | number>>;

/** A file of the corpus with its right minutes. */
export interface CorpusFile {
  readonly file: string;
  readonly vendor: string;
  /** What the file shows, e.g. a language. */
  readonly about: string;
  /** Zone of local times. */
  readonly zone: string;
  readonly minutes: readonly Minute[];
}

/** The corpus is of the year before. */
const nowMs = Date.UTC(2027, 0, 1);
const hours = 8_784;
/** A reader that does not end is ended, s. */
const readerSeconds = 30;
/** Means of devices are rounded in different ways. */
const tolerance = 0.11;

/** Checks a reader, or prints the minutes of standard input as a reader does. */
export async function checkConformance(options: ConformanceOptions): Promise<void> {
  const { reader, corpus, minutes } = options;
  if (minutes !== undefined) {
    const read = await readMinutes(minutes, process.env['RECORDING_ZONE'] ?? 'UTC', await buffer(process.stdin));
    return console.log(JSON.stringify(read));
  }
  if (reader === undefined) throw new Error('pass the command of a reader with --reader');
  const files = JSON.parse(await readFile(join(corpus, 'corpus.json'), 'utf8')) as readonly CorpusFile[];
  const rows: string[][] = [];
  for (const { file, vendor, about, zone, minutes: right } of files) {
    const found = await run(reader, { RECORDING_NAME: file, RECORDING_ZONE: zone }, await readFile(join(corpus, file)));
    const problem = typeof found === 'string' ? found : compare(found, right);
    if (problem !== '') process.exitCode = 1;
    rows.push([vendor, file, about, String(right.length), problem || 'right']);
  }
  const wrong = rows.filter(([, , , , result]) => result !== 'right').length;
  const columns = ['vendor', 'file', 'about', 'minutes', 'result'].map((title) => ({ title }));
  console.log(formatTable(options, columns, [rows]));
  console.error(`${rows.length - wrong} of ${rows.length} files are read right.`);
}

/** Returns the minutes that a command prints, or what is wrong with it. */
async function run(reader: string, env: Record<string, string>, content: Uint8Array): Promise<unknown[] | string> {
  const child = spawn(reader, { shell: true, env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'ignore'] });
  const end = setTimeout(() => child.kill(), readerSeconds * 1000);
  // A reader may end before it has read all.
  child.stdin.on('error', () => undefined);
  child.stdin.end(content);
  const printed = await text(child.stdout);
  clearTimeout(end);
  try {
    const read: unknown = JSON.parse(printed);
    return Array.isArray(read) ? read : 'no list of minutes was printed';
  } catch {
    return 'no JSON was printed';
  }
}

/** Returns the first difference. Empty if there is none. */
function compare(found: readonly unknown[], right: readonly Minute[]): string {
  if (found.length !== right.length) return `${found.length} minutes instead of ${right.length}`;
  for (const [index, minute] of right.entries()) {
    const read = (found[index] ?? {}) as Minute;
    for (const [name, value] of Object.entries(minute)) {
      const isEqual =
        typeof value === 'number' ? Math.abs(Number(read[name]) - value) < tolerance : read[name] === value;
      if (!isEqual) return `${minute['time']}: ${name} ${read[name] ?? 'missing'} instead of ${value}`;
    }
  }
  return '';
}

/** Returns the minutes of a file. A file that is refused has none. */
export async function readMinutes(name: string, zone: string, content: Uint8Array): Promise<Minute[]> {
  const folder = await mkdtemp(join(tmpdir(), 'state-service-minutes-'));
  try {
    const path = join(folder, basename(name));
    await writeFile(path, content);
    const minutes = new Minutes({ hours, nowMs });
    await readRecordingFile(path, { timeZone: zone }, minutes);
    return minutes.readings().map(({ atMs, values: { source_device: _, rr_intervals_ms: beats, ...values } }) => ({
      time: `${new Date(atMs).toISOString().slice(0, 16)}Z`,
      ...values,
      ...(beats && { beats: beats.length }),
    }));
  } catch (error) {
    console.error((error as Error).message);
    return [];
  } finally {
    await rm(folder, { recursive: true });
  }
}
