/**
 * Compares the service with bare Express and with a server that uses one transaction per reading. Each server and the
 * load generator run in separate processes, in repeated rounds. The results are ratios of their figures. Exits with 1
 * when a request failed.
 */
import { join } from 'node:path';
import { Command } from 'commander';
import type { DatabaseKind } from '../../contract-tests/support/databases.js';
import { drawBench } from './support/chart.js';
import { buildServers, contenders, createField } from './support/contenders.js';
import {
  databaseOption,
  type DatabaseChoice,
  findDatabases,
  inspectDatabase,
  titleOf,
  withDatabase,
} from './support/databases.js';
import { type Generator, startGenerator } from './support/generator.js';
import { describeMachine, machineLine } from './support/machine.js';
import type { MeasureOptions } from './support/measure-run.js';
import {
  type BenchReport,
  contenderColumns,
  contenderRows,
  type BenchOutcome,
  requirementColumns,
  requirementRows,
  soakLine,
} from './support/report.js';
import { judge, measure } from './support/requirements.js';
import { condemnFailures, takeTurns } from './support/rounds.js';
import { launch } from '../terminal/launch.js';
import { positive } from '../terminal/options.js';
import { save } from '../../src/terminal/save.js';
import { markdownTable, textTable } from '../../src/terminal/table.js';

const connections = 64;

interface Options {
  readonly database: DatabaseChoice;
  readonly seconds: number;
  readonly warmUp: number;
  readonly rounds: number;
  readonly soak?: number;
  readonly markdown: boolean;
  readonly reports: string;
  readonly picture?: string;
}

await launch(
  new Command('bench')
    .description('Throughput, latency, CPU time and memory of ingest, compared with other servers on the same machine.')
    .addOption(databaseOption)
    .option('--seconds <number>', 'length of each run', positive, 10)
    .option('--warm-up <number>', 'seconds of load before each run, not measured', positive, 3)
    .option('--rounds <number>', 'runs of each contender', positive, 5)
    .option('--soak <requests>', 'number of further requests over which memory is sampled', positive)
    .option('--markdown', 'print the tables as Markdown', false)
    .option('--reports <folder>', 'folder for bench.json and bench.svg', 'reports')
    .option('--picture <svg>', 'also write the chart to this file')
    .action(bench),
);

async function bench(options: Options): Promise<void> {
  const kinds = await findDatabases(options.database);
  // Checks every database first, so that a server without durable commits fails before any measurement.
  const versions = new Map<DatabaseKind, string>();
  for (const kind of kinds) versions.set(kind, await withDatabase(kind, inspectDatabase));
  buildServers();
  const { seconds, warmUp: warmUpSeconds, rounds } = options;
  const head = { takenAt: new Date().toISOString(), machine: describeMachine() };
  const outcomes: BenchOutcome[] = [];
  const generator = startGenerator();
  try {
    for (const [kind, version] of versions) {
      const taken = await runAll(kind, generator, { seconds, warmUpSeconds, connections }, options);
      const field = measure(taken.runs);
      outcomes.push({ kind, version, field, judged: judge(kind, field), ...taken });
    }
  } finally {
    generator.close();
  }
  const report: BenchReport = { ...head, seconds, warmUpSeconds, rounds, connections, outcomes };
  print(report, options.markdown);
  await save(join(options.reports, 'bench.json'), `${JSON.stringify(report, undefined, 2)}\n`);
  const drawing = drawBench(report);
  for (const path of [join(options.reports, 'bench.svg'), ...(options.picture ? [options.picture] : [])])
    await save(path, drawing);
}

async function runAll(kind: DatabaseKind, generator: Generator, options: MeasureOptions, { rounds, soak }: Options) {
  const field = await createField(kind, generator, options);
  try {
    const runs = await takeTurns(contenders, { rounds, warmUps: 0 }, field.run);
    return { runs, soaked: soak === undefined ? [] : await field.soak(soak) };
  } finally {
    await field.close();
  }
}

function print(report: BenchReport, isMarkdown: boolean): void {
  const { machine, seconds, warmUpSeconds, rounds, outcomes } = report;
  const table = isMarkdown ? markdownTable : textTable;
  for (const { kind, version, field, judged, soaked } of outcomes) {
    console.log(`${isMarkdown ? '###' : '──'} ${titleOf(kind)} (${version})\n`);
    console.log(`${table(contenderColumns, [contenderRows(field)])}\n`);
    console.log(`${table(requirementColumns, [requirementRows(judged)])}\n`);
    if (soaked.length > 0) console.log(`${soakLine(soaked)}\n`);
  }
  console.log(`${machineLine(machine)}.`);
  console.log(
    `${connections} connections; medians of ${rounds} runs of ${seconds} s, each after ${warmUpSeconds} s to warm up; ` +
      `load average before them ${machine.loadAverage.join(' ')}.`,
  );
  condemnFailures(outcomes.flatMap(({ runs }) => contenders.map((contender) => runs[contender])));
}
