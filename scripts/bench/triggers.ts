/**
 * Measures the cost of Trigger Memory: the built service under load, on a database with 10,000 subjects and 20 topics
 * per subject. The results are ratios. Exits with 1 when a request failed.
 */
import { loadavg } from 'node:os';
import { Command } from 'commander';
import { runCommand } from '../../contract-tests/support/service-process.js';
import build from '../../contract-tests/support/build.js';
import type { DatabaseKind } from '../../contract-tests/support/databases.js';
import { databaseOption, type DatabaseChoice, findDatabases, withDatabase } from './support/databases.js';
import { fillStore, subjectsAtOnce, topicsPerSubject } from './support/fill.js';
import { readConfig } from '../../src/config/config.js';
import { openStore, type Store } from '../../src/store/store.js';
import { type Generator, startGenerator } from './support/generator.js';
import type { Run } from './support/load.js';
import { type Load as AnyLoad, subjectCount, subjectName } from './support/requests.js';
import { condemnFailures, middle, middleOf, type Runs, runCells, runTitles, takeTurns } from './support/rounds.js';
import { startBenchedService } from './support/service.js';
import { launch } from '../terminal/launch.js';
import { positive } from '../terminal/options.js';
import { startProgress } from '../../src/terminal/progress.js';
import { type Column, textTable } from '../../src/terminal/table.js';

const connections = 64;
const loads = ['plain', 'turn', 'profile'] as const satisfies readonly AnyLoad[];
type Load = (typeof loads)[number];
const readsARound = 400;
const shareMin = 0.85;
const titles: Readonly<Record<Load, string>> = {
  plain: '1 ingest without text',
  turn: '2 ingest with a turn of 200 + 300 characters',
  profile: `3 profile of ${topicsPerSubject} topics`,
};
const columns: readonly Column[] = [
  { title: 'load' },
  ...runTitles.map((title) => ({ title, align: 'right' }) as const),
];

interface Options {
  readonly seconds: number;
  readonly rounds: number;
}

await launch(
  new Command('bench:triggers')
    .description('Throughput of ingest with and without a conversation turn, and of trigger profiles.')
    .addOption(databaseOption)
    .option('--seconds <number>', 'of each run', positive, 4)
    .option('--rounds <number>', 'runs of each load', positive, 5)
    .action(bench),
);

async function bench({ database, ...options }: Options & { database: DatabaseChoice }): Promise<void> {
  build();
  const kinds = await findDatabases(database);
  const generator = startGenerator();
  try {
    for (const kind of kinds) await benchOn(kind, generator, options);
  } finally {
    generator.close();
  }
}

async function benchOn(kind: DatabaseKind, generator: Generator, options: Options): Promise<void> {
  console.log(`── ${kind}, ${subjectCount} subjects with ${topicsPerSubject} topics each\n`);
  await withFilled(kind, subjectCount, async (filled) => {
    // Runs before the load, because the load adds topics to some subjects.
    await withFilled(kind, 1, async (lonely) => reportReads(await timeReads(lonely, filled, options.rounds)));
    report(await loadService(filled, generator, options));
  });
}

interface Filled {
  readonly url: string;
  readonly key: string;
  readonly accountId: string;
  readonly subjects: number;
  /** Store of this process, connected to the service's database. */
  readonly store: Store;
}

/** Runs the work on a database with this many subjects, and drops the database afterwards. */
async function withFilled(
  kind: DatabaseKind,
  subjects: number,
  work: (filled: Filled) => Promise<void>,
): Promise<void> {
  return withDatabase(kind, async (url) => {
    const store = openStore(readConfig({ DATABASE_URL: url }).database);
    const progress = startProgress(
      process.stderr,
      Math.ceil(subjects / subjectsAtOnce),
      `times ${subjectsAtOnce} subjects`,
    );
    try {
      const key = await runCommand(url, ['keys', 'create', '--account', 'bench', '--tier', 'enterprise']);
      const accountId = await fillStore(store, subjects, progress.advance);
      progress.stop();
      await work({ url, key, accountId, subjects, store });
    } finally {
      progress.stop();
      await store.close();
    }
  });
}

/** Runs every load in each round, after one warm-up round. */
async function loadService(
  { url, key }: Filled,
  generator: Generator,
  { seconds, rounds }: Options,
): Promise<Runs<Load>> {
  const service = await startBenchedService(url);
  try {
    return await takeTurns(loads, { rounds, warmUps: 1 }, (load) =>
      generator.run({ urls: [service.url], key, load, seconds, connections }),
    );
  } finally {
    await service.close();
  }
}

function report(runs: Runs<Load>): void {
  console.log(textTable(columns, [loads.map((load) => [titles[load], ...runCells(runs[load])])]));
  const shares = runs.turn.map(({ perSecond }, round) => perSecond / (runs.plain[round]?.perSecond ?? Number.NaN));
  const share = middleOf(runs.turn, perSecond) / middleOf(runs.plain, perSecond);
  console.log(
    `\nWith a turn: ${share.toFixed(2)} of the throughput without, required ${shareMin}; ` +
      `by round ${shares.map((it) => it.toFixed(2)).join(' ')}.`,
  );
  const load = loadavg().map((it) => it.toFixed(1));
  console.log(`${connections} connections; medians of ${runs.plain.length} rounds; load average ${load.join(' ')}.`);
  condemnFailures(loads.map((load) => runs[load]));
}

/**
 * Returns the median time of one profile read by the store, µs: for the only subject of a database, and for random
 * subjects of a large one.
 */
async function timeReads(lonely: Filled, filled: Filled, rounds: number): Promise<[alone: number, among: number]> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round += 1)
    for (const [index, { store, accountId, subjects }] of [lonely, filled].entries())
      for (let read = 0; read < readsARound; read += 1) {
        const subject = subjectName(Math.random() * subjects);
        const startedAtMs = performance.now();
        const found = await store.read(accountId).triggersOf(subject);
        const micros = 1_000 * (performance.now() - startedAtMs);
        if (found.size !== topicsPerSubject) throw new Error(`${subject} has ${found.size} topics`);
        if (round > 0) times[index]?.push(micros);
      }
  return [middle(times[0]), middle(times[1])];
}

function reportReads([alone, among]: [alone: number, among: number]): void {
  const rows = subjectCount * topicsPerSubject;
  console.log(
    `Reading a profile takes the store ${among.toFixed(0)} µs among ${rows} rows and ${alone.toFixed(0)} µs in an ` +
      `otherwise empty table: ${(among / alone).toFixed(2)} of the time.\n`,
  );
}

function perSecond(run: Run): number {
  return run.perSecond;
}
