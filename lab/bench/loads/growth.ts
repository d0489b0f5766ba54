/**
 * Measures the effect of database size. Compares the service on a database with millions of readings with the service
 * on an empty database. Also measures during a purge. The results are ratios. Exits with 1 when a request failed.
 */
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { save } from '../../../packages/tools/terminal/save.js';
import { type Column, textTable } from '../../../packages/tools/terminal/table.js';
import type { DatabaseKind } from '../../../testkit/databases.js';
import { figureColumns } from '../../figures.js';
import { positive } from '../../options.js';
import { type Crowd, type CrowdOptions, crowdRetention, withCrowd } from '../support/crowd.js';
import { databaseOption, type DatabaseChoice, findDatabases, inspectDatabase, titleOf } from '../support/databases.js';
import { topicsPerSubject } from '../support/fill.js';
import { connections, type Generator, type MeasuredRun, withGenerator } from '../support/generator.js';
import { describeMachine, machineLine } from '../support/machine.js';
import type { Load } from '../support/requests.js';
import { condemnFailures, middleOf, runCells, type Runs, runTitles, takeTurns } from '../support/rounds.js';
import { measurePeople } from '../support/people.js';
import { withBenchedServices } from '../support/service.js';
import { measureSteady } from '../support/steady.js';
import { measureStoredBytes } from '../support/stored-bytes.js';

/** Rows of the small database, so that reads return data. */
const few: CrowdOptions = { sessions: 20, readingsPerSession: 100, subjects: 200 };
/** Number of readings that expire per second, more than the purge can delete. */
const expiredASecond = 25_000;

/** The database of a run, and whether a purge runs on it. */
type Side = 'empty' | 'full' | 'purged';
const sideTitles: Readonly<Record<Side, string>> = { empty: 'empty', full: 'full', purged: 'full, being purged' };

/** Runs one load on two databases. Each limit applies to the second one, usually as a ratio to the first. */
interface Comparison {
  readonly title: string;
  readonly load: Load;
  readonly sides: readonly [Side, Side];
  readonly connections?: number;
  /** Kind of id that each request draws at random. Absent if requests draw no id. */
  readonly among?: 'subjects' | 'sessions';
  readonly throughputMin?: number;
  readonly p99Max?: number;
  readonly p50MsBelow?: number;
}

const besideEmpty = ['empty', 'full'] as const;
const comparisons = {
  ingest: { title: 'ingest', load: 'plain', sides: besideEmpty, throughputMin: 0.9 },
  purge: { title: 'ingest', load: 'plain', sides: ['full', 'purged'], p99Max: 1.25 },
  state: { title: 'state', load: 'state', sides: besideEmpty, throughputMin: 0.9 },
  'any-state': { title: 'state of any session', load: 'anyState', sides: besideEmpty, among: 'sessions' },
  history: { title: 'history, 5 minutes, 600 points', load: 'history', sides: besideEmpty, throughputMin: 0.9 },
  'long-history': {
    title: 'history, 60 minutes, 7,200 points',
    load: 'longHistory',
    sides: besideEmpty,
    connections: 1,
    p50MsBelow: 30,
  },
  profile: { title: `profile of ${topicsPerSubject} topics`, load: 'profile', sides: besideEmpty, among: 'subjects' },
} as const satisfies Readonly<Record<string, Comparison>>;
type Comparable = keyof typeof comparisons;
type Name = `${Comparable} ${Side}`;
const comparables = Object.keys(comparisons) as Comparable[];

const columns: readonly Column[] = [
  { title: 'load' },
  { title: 'database' },
  ...figureColumns(...runTitles, 'throughput', 'p99', 'required', ''),
];

interface Options {
  readonly readings: number;
  readonly sessions: number;
  readonly triggers: number;
  readonly seconds: number;
  readonly warmUp: number;
  readonly rounds: number;
  readonly only?: Comparable;
  readonly reports: string;
  readonly bytes?: true;
  readonly steady?: true;
  readonly people?: number;
}

export const growth = new Command('growth')
  .description(
    'Compares the service on a full database with the service on an empty one. Takes minutes to fill the database.',
  )
  .addOption(databaseOption)
  .option('--readings <number>', 'readings in the full database', positive, 10_000_000)
  .option('--sessions <number>', 'sessions of these readings', positive, 100_000)
  .option('--triggers <number>', `rows, ${topicsPerSubject} a subject`, positive, 1_000_000)
  .option('--seconds <number>', 'length of each run', positive, 10)
  .option('--warm-up <number>', 'seconds of load before each run, not measured', positive, 3)
  .option('--rounds <number>', 'runs of each load', positive, 3)
  .addOption(new Option('--only <load>', 'one of the loads').choices(comparables))
  .option('--reports <folder>', 'folder for bench-growth.json', 'reports')
  .option('--bytes', 'print only the bytes per stored reading of a new database: 100 sessions of 1,000 readings')
  .option('--steady', 'only ingest while readings expire at the same rate: --seconds 1200 for the size over 20 minutes')
  .option(
    '--people <number>',
    'only what requests, commands and a start cost with readings of people over 90 days',
    positive,
  )
  .action(bench);

async function bench({ database, ...options }: Options & { database: DatabaseChoice }): Promise<void> {
  const kinds = await findDatabases(database);
  if (options.bytes) {
    for (const kind of kinds) await measureStoredBytes(kind);
    return;
  }
  const machine = describeMachine();
  const { steady, people } = options;
  if (steady || people !== undefined) {
    await withGenerator(async (generator) => {
      for (const kind of kinds)
        await (people === undefined
          ? measureSteady(kind, generator, options)
          : measurePeople(kind, generator, { ...options, people }));
    });
    console.log(machineLine(machine));
    return;
  }
  const outcomes: GrowthOutcome[] = [];
  await withGenerator(async (generator) => {
    for (const kind of kinds) {
      const outcome = await benchOn(kind, generator, options);
      report(outcome);
      outcomes.push(outcome);
    }
  });
  console.log(
    `${machineLine(machine)}; ${connections} connections, except for the history of an hour, which uses one.`,
  );
  const { reports, bytes: _, steady: __, ...asked } = options;
  const taken = { takenAt: new Date().toISOString(), machine, ...asked, connections, outcomes };
  await save(join(reports, 'bench-growth.json'), `${JSON.stringify(taken, undefined, 2)}\n`);
}

/** Number of purged readings and of expired readings that remain. If none remain, the purge ended before the run. */
interface Purge {
  readonly purged: number;
  readonly left: number;
}

interface GrowthOutcome {
  readonly kind: DatabaseKind;
  readonly version: string;
  /** One entry per round. */
  readonly purges: readonly Purge[];
  /** The databases under test. */
  readonly runs: Partial<Runs<Name, MeasuredRun>>;
}

async function benchOn(kind: DatabaseKind, generator: Generator, options: Options): Promise<GrowthOutcome> {
  const readingsPerSession = Math.max(1, Math.round(options.readings / options.sessions));
  const subjects = Math.max(1, Math.round(options.triggers / topicsPerSubject));
  return withCrowd(kind, few, (empty) =>
    withCrowd(kind, { sessions: options.sessions, readingsPerSession, subjects }, async (full) => {
      const purges: Purge[] = [];
      const names = (options.only ? [options.only] : comparables).flatMap((it) =>
        comparisons[it].sides.map((side): Name => `${it} ${side}`),
      );
      const run = async (name: Name) => {
        const [comparable, side] = name.split(' ') as [Comparable, Side];
        const measure = (on: Crowd) => runOn(on, comparisons[comparable], generator, options);
        if (side === 'empty') return measure(empty);
        return side === 'full' ? measure(full) : whilePurging(full, options, purges, () => measure(full));
      };
      const runs = await takeTurns(names, options.rounds, run);
      return { kind, version: await inspectDatabase(full.url), purges, runs };
    }),
  );
}

async function runOn(
  crowd: Crowd,
  { load, among, connections: own = connections }: Comparison,
  generator: Generator,
  { seconds, warmUp }: Options,
): Promise<MeasuredRun> {
  const { url, key } = crowd;
  await crowd.replaceHistories();
  const asked = { key, load, ...(among && { among: crowd[among] }), seconds, warmUpSeconds: warmUp, connections: own };
  return withBenchedServices(url, 1, crowdRetention, (services) => generator.measure(services, asked));
}

/**
 * Runs the load during a purge. The service starts to purge at its start, with more expired rows than it can delete
 * during the run.
 */
async function whilePurging(
  crowd: Crowd,
  { seconds, warmUp }: Options,
  purges: Purge[],
  work: () => Promise<MeasuredRun>,
): Promise<MeasuredRun> {
  await crowd.addExpired(expiredASecond * (seconds + warmUp));
  const laid = await crowd.countExpired();
  const run = await work();
  const left = await crowd.countExpired();
  purges.push({ purged: laid - left, left });
  await crowd.removeExpired();
  return run;
}

function report({ kind, version, purges, runs }: GrowthOutcome): void {
  const compared = comparables.filter((it) => `${it} ${comparisons[it].sides[0]}` in runs);
  console.log(`── ${titleOf(kind)} (${version})\n`);
  console.log(textTable(columns, [compared.flatMap((it) => rowsOf(it, runs, purges))]));
  console.log('\nThroughput and p99 are shares of the line above.');
  const purged = purges.map(({ purged, left }) => `${purged} (${left} left)`).join(', ');
  if (purged) console.log(`Expired readings purged during each run and its warm-up: ${purged}.`);
  if (!isThroughout(purges)) console.log('The purge ended before the run, so its figures are invalid.');
  console.log();
  condemnFailures(Object.values(runs));
}

/** Returns false if part of the run had no purge: no rows were purged, or no rows remained. */
function isThroughout(purges: readonly Purge[]): boolean {
  return purges.every(({ purged, left }) => purged > 0 && left > 0);
}

function rowsOf(comparable: Comparable, runs: GrowthOutcome['runs'], purges: readonly Purge[]): string[][] {
  const { title, sides, throughputMin, p99Max, p50MsBelow }: Comparison = comparisons[comparable];
  const [first, second] = sides.map((side) => runs[`${comparable} ${side}`]) as [MeasuredRun[], MeasuredRun[]];
  const share = (pick: (run: MeasuredRun) => number) => middleOf(second, pick) / middleOf(first, pick);
  const [throughput, p99] = [share(({ perSecond }) => perSecond), share(({ p99Ms }) => p99Ms)];
  const p50Ms = middleOf(second, (run) => run.p50Ms);
  const all = [
    { bound: throughputMin, required: `throughput ≥ ${throughputMin}`, isMet: throughput >= (throughputMin ?? 0) },
    { bound: p99Max, required: `p99 ≤ ${p99Max}`, isMet: p99 <= (p99Max ?? 0) && isThroughout(purges) },
    { bound: p50MsBelow, required: `p50 < ${p50MsBelow} ms`, isMet: p50Ms < (p50MsBelow ?? 0) },
  ];
  const bounds = all.filter(({ bound }) => bound !== undefined);
  const required = bounds.map((it) => it.required).join(', ');
  // A run without responses has no latency.
  const isMeasured = [...first, ...second].every(({ answers }) => answers > 0);
  const verdict = required && (isMeasured && bounds.every(({ isMet }) => isMet) ? 'met' : 'not met');
  return [
    [title, sideTitles[sides[0]], ...runCells(first)],
    ['', sideTitles[sides[1]], ...runCells(second), throughput.toFixed(2), p99.toFixed(2), required, verdict],
  ];
}
