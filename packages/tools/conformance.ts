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
  /** Nights. Absent if they are not compared. */
  readonly facts?: readonly Minute[];
}

/** What a reader finds in a file. */
interface Found {
  readonly minutes: readonly unknown[];
  /** Absent if the reader reads none. */
  readonly facts?: readonly unknown[];
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
    const read = await readContent(minutes, process.env['RECORDING_ZONE'] ?? 'UTC', await buffer(process.stdin));
    return console.log(JSON.stringify(read));
  }
  if (reader === undefined) throw new Error('pass the command of a reader with --reader');
  const files = JSON.parse(await readFile(join(corpus, 'corpus.json'), 'utf8')) as readonly CorpusFile[];
  const rows: string[][] = [];
  for (const { file, vendor, about, zone, ...right } of files) {
    const found = await run(reader, { RECORDING_NAME: file, RECORDING_ZONE: zone }, await readFile(join(corpus, file)));
    const problem =
      typeof found === 'string'
        ? found
        : compare(found.minutes, right.minutes, 'minutes') || compareFacts(found, right);
    if (problem !== '') process.exitCode = 1;
    rows.push([vendor, file, about, String(right.minutes.length), problem || 'right']);
  }
  const wrong = rows.filter(([, , , , result]) => result !== 'right').length;
  const columns = ['vendor', 'file', 'about', 'minutes', 'result'].map((title) => ({ title }));
  console.log(formatTable(options, columns, [rows]));
  console.error(`${rows.length - wrong} of ${rows.length} files are read right.`);
}

/** Returns what a command prints, or what is wrong with it. */
async function run(reader: string, env: Record<string, string>, content: Uint8Array): Promise<Found | string> {
  const child = spawn(reader, { shell: true, env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'ignore'] });
  const end = setTimeout(() => child.kill(), readerSeconds * 1000);
  // A reader may end before it has read all.
  child.stdin.on('error', () => undefined);
  child.stdin.end(content);
  const printed = await text(child.stdout);
  clearTimeout(end);
  try {
    const read: unknown = JSON.parse(printed);
    if (Array.isArray(read)) return { minutes: read };
    const { minutes } = (read ?? {}) as Partial<Found>;
    return Array.isArray(minutes) ? (read as Found) : 'no list of minutes was printed';
  } catch {
    return 'no JSON was printed';
  }
}

/** A reader need not read facts. */
function compareFacts({ facts: found }: Found, { facts: right }: Pick<CorpusFile, 'facts'>): string {
  return found && right ? compare(found, right, 'facts') : '';
}

/** Returns the first difference. Empty if there is none. */
function compare(found: readonly unknown[], right: readonly Minute[], what: string): string {
  if (found.length !== right.length) return `${found.length} ${what} instead of ${right.length}`;
  for (const [index, minute] of right.entries()) {
    const read = (found[index] ?? {}) as Minute;
    for (const [name, value] of Object.entries(minute)) {
      const isEqual =
        typeof value === 'number' ? Math.abs(Number(read[name]) - value) < tolerance : read[name] === value;
      if (!isEqual)
        return `${minute['time'] ?? minute['start']}: ${name} ${read[name] ?? 'missing'} instead of ${value}`;
    }
  }
  return '';
}

/** Returns the minutes and facts of a file. A file that is refused has none. */
export async function readContent(
  name: string,
  zone: string,
  content: Uint8Array,
): Promise<Required<Pick<CorpusFile, 'minutes' | 'facts'>>> {
  const folder = await mkdtemp(join(tmpdir(), 'state-service-minutes-'));
  try {
    const path = join(folder, basename(name));
    await writeFile(path, content);
    const minutes = new Minutes({ hours, nowMs });
    await readRecordingFile(path, { timeZone: zone }, minutes);
    const toTime = (ms: number) => `${new Date(ms).toISOString().slice(0, 16)}Z`;
    const read = minutes
      .readings()
      .map(({ atMs, values: { source_device: _, rr_intervals_ms: beats, ...values } }) => ({
        time: toTime(atMs),
        ...values,
        ...(beats && { beats: beats.length }),
      }));
    const facts = minutes.facts.map(({ kind, level, atMs, untilMs }) => ({
      kind,
      ...(level && { level }),
      start: toTime(atMs),
      ...(untilMs !== undefined && { end: toTime(untilMs) }),
    }));
    return { minutes: read, facts };
  } catch (error) {
    console.error((error as Error).message);
    return { minutes: [], facts: [] };
  } finally {
    await rm(folder, { recursive: true });
  }
}
