/**
 * Checks the service on a cluster of databases. Starts three Galera nodes, two services, two workers and Redis. Kills
 * nodes and processes at random under load and lets them rejoin. Exits with 1 when an acknowledged reading is lost, when
 * an event is lost, out of order or has two ids, or when the monthly calls are outside of their guarantee.
 */
import { writeFile } from 'node:fs/promises';
import { Command } from 'commander';
import { describeMachine, machineLine } from '../bench/support/machine.js';
import { printVerdict } from '../../testkit/verdict.js';
import { launch } from '../../testkit/launch.js';
import { positive } from '../options.js';
import { type ClusterOptions, runCluster } from './cluster/run.js';
import { rowsOf } from './cluster/verdict.js';

interface Options extends ClusterOptions {
  readonly json?: string;
}

await launch(
  new Command('check:cluster')
    .description('Kills Galera nodes, services and workers under load and checks every reading and event.')
    .option('--kills <number>', 'number of kills (SIGKILL)', positive, 20)
    .option('--sessions <number>', 'sessions that change state continuously', positive, 40)
    .option('--seed <number>', 'seed of the random choices. The timing still varies', positive, 1)
    .option('--spread', 'each process prefers another node, so that all nodes write and transactions conflict')
    .option('--json <file>', 'write the measurements to a file')
    .addHelpText('after', "\nRequires redis-server and Debian's packages mariadb-server, galera-4 and rsync.")
    .action(check),
);

async function check({ json, ...options }: Options): Promise<void> {
  const run = await runCluster(options);
  const machine = describeMachine();
  const title = `three Galera nodes, two services, two workers, ${run.seconds.toFixed(0)} s under load`;
  const promise = 'Nothing was lost, duplicated under a second id or out of order.';
  printVerdict(`${title}, ${machineLine(machine)}`, rowsOf(run), promise);
  if (json !== undefined) {
    const taken = { takenAt: new Date().toISOString(), machine, ...options, ...run };
    await writeFile(json, `${JSON.stringify(taken, null, 2)}\n`);
  }
}
