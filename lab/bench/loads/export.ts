/**
 * Measures `GET /v1/export`: rows per second, peak memory, and both relative to a plain SELECT behind HTTP. Fills the
 * database itself. Exits with 1 when a row is missing or a bound is not met.
 */
import { get } from 'node:http';
import { Command } from 'commander';
import { createKeyOf, readUsage, type ServiceProgram, startServiceProgram } from '../../../testkit/program.js';
import { textTable } from '../../../packages/tools/terminal/table.js';
import { positive } from '../../options.js';
import { withDatabase } from '../support/databases.js';
import { type FilledReadings, fillReadings } from '../support/fill-readings.js';
import { describeMachine, machineLine } from '../support/machine.js';
import { figureColumns, takeTurns } from '../support/rounds.js';
import { bundle, startBenchedService } from '../support/service.js';

const bounds = { rowsPerSecond: 50_000, peakRatio: 1.25 };
const sampleMs = 20;
const lineFeed = 10;
const megabyte = 1e6;
const titles = ['rows/s', 'MB/s', 'MB', 'memory at start', 'peak, a tenth', 'peak, all rows'];

interface Options {
  readonly readings: number;
  readonly sessions: number;
  readonly rounds: number;
}

const servers = [
  { title: 'export as NDJSON', path: '/v1/export', isPlain: false },
  { title: 'export as CSV', path: '/v1/export?format=csv', isPlain: false },
  { title: 'plain SELECT, JSON.stringify', path: '/', isPlain: true },
] as const;
type Server = (typeof servers)[number];

export const exports = new Command('export')
  .description('Throughput and memory of an export on SQLite, compared with a plain SELECT and JSON.stringify.')
  .option('--readings <number>', 'readings in the database', positive, 1_000_000)
  .option('--sessions <number>', 'sessions of these readings', positive, 1_000)
  .option('--rounds <number>', 'exports of each kind', positive, 3)
  .action((options: Options) => withDatabase('sqlite', (url) => bench(url, options)));

interface Exported {
  readonly rows: number;
  readonly bytes: number;
  readonly seconds: number;
  /** Resident memory at the start, and its highest value, MB. */
  readonly startMb: number;
  readonly peakMb: number;
}

async function bench(url: string, { readings, sessions, rounds }: Options): Promise<void> {
  const key = await createKeyOf(url, 'export');
  const file = bundle('servers/server');
  const filled = await fillReadings(url, key, { readings, sessions });
  const parts: Exported[] = [];
  for (const server of servers) parts.push(await run(server, file, url, key, filled.cursorOfLastTenth));
  const names = servers.map(({ title }) => title);
  const runs = await takeTurns(names, rounds, (name) =>
    run(servers[names.indexOf(name)] as Server, file, url, key, undefined),
  );
  const medians = names.map((name) => middle(runs[name]));
  const rowsOf = servers.map(({ title }, index) => cells(title, parts[index] as Exported, medians[index] as Exported));
  console.log(`${machineLine(describeMachine())}; load average ${describeMachine().loadAverage.join(' ')}`);
  console.log(`${readings} readings in ${sessions} sessions, median of ${rounds} exports.\n`);
  console.log(textTable([{ title: '' }, ...figureColumns(...titles)], [rowsOf]));
  verify(filled, parts[0], medians);
}

function cells(title: string, part: Exported, whole: Exported): string[] {
  return [
    title,
    String(Math.round(whole.rows / whole.seconds)),
    (whole.bytes / megabyte / whole.seconds).toFixed(0),
    (whole.bytes / megabyte).toFixed(0),
    ...[part.startMb, part.peakMb, whole.peakMb].map((mb) => `${mb.toFixed(0)} MB`),
  ];
}

function middle(runs: readonly Exported[]): Exported {
  const sorted = [...runs].sort((a, b) => a.seconds - b.seconds);
  return sorted[Math.floor(sorted.length / 2)] as Exported;
}

/** Exports in a new process, so that memory of earlier exports does not count. */
async function run(
  { path, isPlain }: Server,
  file: string,
  url: string,
  key: string,
  cursor: number | undefined,
): Promise<Exported> {
  const plain = { file, args: ['select'] };
  const server = await (isPlain ? startServiceProgram({ DATABASE_URL: url }, plain) : startBenchedService(url));
  try {
    const query = cursor === undefined ? '' : `${path.includes('?') ? '&' : '?'}cursor=${cursor}`;
    return await download(server, `${path}${query}`, key);
  } finally {
    await server.stop();
  }
}

async function download({ url, pid }: ServiceProgram, path: string, key: string): Promise<Exported> {
  const startMb = readUsage(pid).residentMb;
  let peakMb = startMb;
  const sampling = setInterval(() => (peakMb = Math.max(peakMb, readUsage(pid).residentMb)), sampleMs);
  const startedAtMs = performance.now();
  let [rows, bytes] = [0, 0];
  try {
    await new Promise<void>((resolve, reject) => {
      get(url + path, { headers: { 'X-Service-Key': key } }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, at + 1)) rows += 1;
        });
        response.on('end', resolve).on('error', reject);
      }).on('error', reject);
    });
  } finally {
    clearInterval(sampling);
  }
  return { rows, bytes, seconds: (performance.now() - startedAtMs) / 1000, startMb, peakMb };
}

function verify({ readings }: FilledReadings, tenth: Exported | undefined, medians: readonly Exported[]): void {
  const [lines, table, plain] = medians;
  if (!tenth || !lines || !table || !plain) throw new Error('an export is missing');
  const speed = (exported: Exported) => exported.rows / exported.seconds;
  const growthMb = lines.peakMb - lines.startMb;
  console.log(`\nNDJSON at ${(speed(lines) / speed(plain)).toFixed(2)} × the rows per second of the plain SELECT.`);
  console.log(`Memory grew by ${growthMb.toFixed(0)} MB during the export of all rows.`);
  const missed = [
    ...(lines.rows === readings && table.rows === readings + 1 && plain.rows === readings ? [] : ['complete rows']),
    ...(lines.peakMb <= bounds.peakRatio * tenth.peakMb ? [] : ['the memory of a tenth of the rows']),
    ...(speed(lines) >= bounds.rowsPerSecond ? [] : [`${bounds.rowsPerSecond} rows per second`]),
  ];
  if (missed.length > 0) process.exitCode = 1;
  console.log(missed.length > 0 ? `Not met: ${missed.join(', ')}.` : 'All rows arrived, and all bounds are met.');
}
