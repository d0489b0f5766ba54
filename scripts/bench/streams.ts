/**
 * Measures streams: the latency from the response to ingest until the event, of the same and of another process, the
 * memory per stream, and the throughput of ingest with idle streams. Exits with 1 when an event is missing or a request
 * failed.
 */
import { Command } from 'commander';
import build from '../../contract-tests/support/build.js';
import { launch } from '../terminal/launch.js';
import { positive } from '../terminal/options.js';
import { markdownTable, type TableRow, textTable } from '../../src/terminal/table.js';
import { databaseOption, type DatabaseChoice, findDatabases, titleOf } from './support/databases.js';
import { describeMachine, machineLine } from './support/machine.js';
import { measureLatency, measureOtherProcess } from './support/stream-latency.js';
import { measureMemory, measureThroughput } from './support/idle-streams.js';
import type { StreamBenchOptions } from './support/stream-stage.js';

await launch(
  new Command('bench:streams')
    .description('Latency and memory of streams, and the throughput of ingest with idle streams.')
    .addOption(databaseOption)
    .option('--streams <number>', 'open streams, each of a session of its own', positive, 1_000)
    .option('--seconds <number>', 'length of each run', positive, 10)
    .option('--rounds <number>', 'runs with and without idle streams', positive, 3)
    .option('--markdown', 'print Markdown')
    .action(bench),
);

interface Options extends StreamBenchOptions {
  readonly database: DatabaseChoice;
  readonly markdown?: boolean;
}

async function bench({ database, markdown, ...options }: Options) {
  build();
  const print = markdown ? markdownTable : textTable;
  console.log(`${machineLine(describeMachine())}; load average ${describeMachine().loadAverage.join(' ')}\n`);
  for (const kind of await findDatabases(database)) {
    const figures = [
      ...(await measureLatency(kind, options)),
      ...(await measureOtherProcess(kind, options)),
      ...(await measureMemory(kind, options)),
      ...(await measureThroughput(kind, options)),
    ];
    const rows = figures.map(({ title, value, goal = '' }): TableRow => [title, value, goal]);
    const columns = [
      { title: titleOf(kind) },
      ...['result', 'goal'].map((title) => ({ title, align: 'right' }) as const),
    ];
    console.log(`${print(columns, [rows])}\n`);
  }
}
