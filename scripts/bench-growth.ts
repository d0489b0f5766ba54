/**
 * What a full database costs: the service on one with millions of readings, beside the service on an empty one, and
 * while expired readings are purged. Figures, not tests; the ratios are the result. The exit code is 1 when a request
 * failed.
 */
import { join } from 'node:path';
import { Command } from 'commander';
import { runCommand } from '../contract-tests/dredd/service-process.js';
import type { DatabaseKind } from '../contract-tests/support/databases.js';
import { readConfig } from '../src/config.js';
import { openDatabase } from '../src/store/database.js';
import { openStore } from '../src/store/store.js';
import { type Crowd, type CrowdWish, startCrowd } from './bench/crowd.js';
import {
  databaseOption,
  type DatabaseWish,
  findDatabases,
  inspectDatabase,
  titleOf,
  withDatabase,
} from './bench/databases.js';
import { fillStore, subjectsAtOnce, topicsPerSubject } from './bench/fill.js';
import { type Generator, startGenerator } from './bench/generator.js';
import { describeMachine, machineLine } from './bench/machine.js';
import { type MeasuredRun, measureRun } from './bench/measure-run.js';
import type { Load } from './bench/requests.js';
import { condemnFailures, middleOf, runCells, type Runs, runTitles, takeTurns } from './bench/rounds.js';
import { startBenchedService } from './bench/service.js';
import { launch } from './terminal/launch.js';
import { positive } from './terminal/options.js';
import { startProgress } from './terminal/progress.js';
import { save } from './terminal/save.js';
import { type Column, textTable } from './terminal/table.js';

const connections = 64;
const sessionsAtOnce = 500;
/** What an empty database holds, so that there is something to read. */
const few: CrowdWish = { sessions: 20, readingsPerSession: 100, subjects: 200 };
/** More than the purge can take away in a second. */
const expiredASecond = 10_000;

interface Comparison {
  readonly title: string;
  readonly load: Load;
  readonly connections?: number;
  /** Of what a request names one, where it names any of all. */
  readonly among?: 'subjects' | 'sessions';
  readonly isPurging?: true;
  /** The least share of the empty database's throughput. */
  readonly shareMin?: number;
  /** On the full database. */
  readonly p50MsBelow?: number;
}

const comparisons: readonly Comparison[] = [
  { title: 'ingest', load: 'plain', shareMin: 0.9 },
  { title: 'ingest while the full one is purged', load: 'plain', isPurging: true },
  { title: 'state', load: 'state', shareMin: 0.9 },
  { title: 'state of any session', load: 'anyState', among: 'sessions' },
  { title: 'history, 5 minutes, 600 points', load: 'history', shareMin: 0.9 },
  { title: 'history, 60 minutes, 7,200 points', load: 'longHistory', connections: 1, p50MsBelow: 30 },
  { title: `profile of ${topicsPerSubject} topics`, load: 'profile', among: 'subjects' },
];
const sides = ['empty', 'full'] as const;
type Side = (typeof sides)[number];
type Name = `${number} ${Side}`;
const names = comparisons.flatMap((_, index) => sides.map((side): Name => `${index} ${side}`));

const columns: readonly Column[] = [
  { title: 'load' },
  { title: 'database' },
  ...[...runTitles, 'of empty', 'required', ''].map((title) => ({ title, align: 'right' }) as const),
];

interface Wish {
  readonly readings: number;
  readonly sessions: number;
  readonly triggers: number;
  readonly seconds: number;
  readonly warmUp: number;
  readonly rounds: number;
  readonly reports: string;
}

await launch(
  new Command('bench:growth')
    .description('The service on a full database beside the same on an empty one; filling takes minutes.')
    .addOption(databaseOption)
    .option('--readings <number>', 'in the full database', positive, 10_000_000)
    .option('--sessions <number>', 'that these are of', positive, 100_000)
    .option('--triggers <number>', `rows, ${topicsPerSubject} a subject`, positive, 1_000_000)
    .option('--seconds <number>', 'of each run', positive, 10)
    .option('--warm-up <number>', 'seconds of load before each run, which do not count', positive, 3)
    .option('--rounds <number>', 'runs of each load', positive, 3)
    .option('--reports <folder>', 'where bench-growth.json goes', 'reports')
    .action(bench),
);

async function bench({ database, ...wish }: Wish & { database: DatabaseWish }): Promise<void> {
  const kinds = await findDatabases(database);
  const machine = describeMachine();
  const outcomes: Outcome[] = [];
  const generator = startGenerator();
  try {
    for (const kind of kinds) {
      const outcome = await benchOn(kind, generator, wish);
      report(outcome);
      outcomes.push(outcome);
    }
  } finally {
    generator.close();
  }
  console.log(
    `${machineLine(machine)}; ${connections} connections but for the hour's history, which is read over one.`,
  );
  const { reports, ...asked } = wish;
  const taken = { takenAt: new Date().toISOString(), machine, ...asked, connections, outcomes };
  await save(join(reports, 'bench-growth.json'), `${JSON.stringify(taken, undefined, 2)}\n`);
}

/** Expired readings before and after a run; were none left, the purge ended before the run did. */
interface Purge {
  readonly purged: number;
  readonly left: number;
}

interface Outcome {
  readonly kind: DatabaseKind;
  readonly version: string;
  /** One a round. */
  readonly purges: readonly Purge[];
  readonly runs: Runs<Name, MeasuredRun>;
}

async function benchOn(kind: DatabaseKind, generator: Generator, wish: Wish): Promise<Outcome> {
  const readingsPerSession = Math.max(1, Math.round(wish.readings / wish.sessions));
  const subjects = Math.max(1, Math.round(wish.triggers / topicsPerSubject));
  return withFilled(kind, few, (empty) =>
    withFilled(kind, { sessions: wish.sessions, readingsPerSession, subjects }, async (full) => {
      const purges: Purge[] = [];
      const run = async (name: Name) => {
        const [index, side] = name.split(' ') as [string, Side];
        const comparison = comparisons[Number(index)] as Comparison;
        if (side === 'empty') return runOn(empty, comparison, generator, wish);
        if (!comparison.isPurging) return runOn(full, comparison, generator, wish);
        return whilePurging(full.crowd, wish, purges, () => runOn(full, comparison, generator, wish));
      };
      const runs = await takeTurns(names, { rounds: wish.rounds, warmUps: 0 }, run);
      return { kind, version: await inspectDatabase(full.url), purges, runs };
    }),
  );
}

interface Filled extends CrowdWish {
  readonly url: string;
  readonly key: string;
  readonly crowd: Crowd;
}

/** Hands out a database with so much in it, and drops it afterwards. */
async function withFilled<T>(kind: DatabaseKind, wish: CrowdWish, work: (filled: Filled) => Promise<T>): Promise<T> {
  return withDatabase(kind, async (url) => {
    const config = readConfig({ DATABASE_URL: url }).database;
    const knex = openDatabase(config, true);
    const store = openStore(config);
    const total = Math.ceil(wish.sessions / sessionsAtOnce) + Math.ceil(wish.subjects / subjectsAtOnce);
    const progress = startProgress(process.stderr, total, 'batches of sessions and subjects');
    try {
      const key = await runCommand(url, ['keys', 'create', '--account', 'growth', '--tier', 'enterprise']);
      const crowd = await startCrowd(knex, url, key, wish);
      for (let from = 0; from < wish.sessions; from += sessionsAtOnce) {
        await crowd.add(from, Math.min(wish.sessions, from + sessionsAtOnce));
        progress.advance();
      }
      await fillStore(store, wish.subjects, progress.advance);
      progress.stop();
      return await work({ ...wish, url, key, crowd });
    } finally {
      progress.stop();
      await store.close();
      await knex.destroy();
    }
  });
}

async function runOn(
  filled: Filled,
  { load, among, connections: own = connections }: Comparison,
  generator: Generator,
  { seconds, warmUp }: Wish,
): Promise<MeasuredRun> {
  const { url, key, crowd } = filled;
  await crowd.layHistories();
  const asked = { key, load, ...(among && { among: filled[among] }) };
  const wish = { seconds, warmUpSeconds: warmUp, connections: own };
  return measureRun({ ...asked, start: () => startBenchedService(url) }, generator, wish);
}

/** The service begins to purge when it starts, and more has expired than it can take away meanwhile. */
async function whilePurging(
  crowd: Crowd,
  { seconds, warmUp }: Wish,
  purges: Purge[],
  work: () => Promise<MeasuredRun>,
): Promise<MeasuredRun> {
  await crowd.layExpired(expiredASecond * (seconds + warmUp));
  const laid = await crowd.countExpired();
  const run = await work();
  const left = await crowd.countExpired();
  purges.push({ purged: laid - left, left });
  await crowd.removeExpired();
  return run;
}

function report({ kind, version, purges, runs }: Outcome): void {
  console.log(`── ${titleOf(kind)} (${version})\n`);
  console.log(textTable(columns, [comparisons.flatMap((comparison, index) => rowsOf(comparison, index, runs))]));
  const purged = purges.map(({ purged, left }) => `${purged} (${left} left)`).join(', ');
  console.log(`\nPurged while ingest ran, by round: ${purged}.\n`);
  condemnFailures(names.map((name) => runs[name] ?? []));
}

function rowsOf({ title, shareMin, p50MsBelow }: Comparison, index: number, runs: Runs<Name, MeasuredRun>): string[][] {
  const [empty, full] = sides.map((side) => runs[`${index} ${side}`]) as [MeasuredRun[], MeasuredRun[]];
  const rate = ({ perSecond }: MeasuredRun) => perSecond;
  const share = middleOf(full, rate) / middleOf(empty, rate);
  const p50Ms = middleOf(full, (run) => run.p50Ms);
  const isMet = share >= (shareMin ?? 0) && p50Ms < (p50MsBelow ?? Infinity);
  const required = shareMin !== undefined ? `≥ ${shareMin}` : p50MsBelow !== undefined ? `p50 < ${p50MsBelow} ms` : '';
  return [
    [title, 'empty', ...runCells(empty)],
    ['', 'full', ...runCells(full), share.toFixed(2), required, required && (isMet ? 'met' : 'not met')],
  ];
}
