/**
 * Injects faults while readings are sent: killed processes, a stopped, frozen or full database, a full log, a clock set
 * back, a wrong secrets key, a frozen Redis. Exits with 1 if an acknowledged reading or its webhook is lost, or if a response has status
 * 500.
 */
import { Command } from 'commander';
import { databaseOption, type DatabaseChoice } from '../bench/support/databases.js';
import { launch } from '../../testkit/launch.js';
import { positive } from '../options.js';
import { linesOf } from './attacks/report.js';
import { listOf, runScenarios } from './attacks/scenario.js';
import { reportOf, toScenario } from './faults/fault.js';
import { listFaults } from './faults/faults.js';

interface Options {
  readonly database: DatabaseChoice;
  readonly only?: readonly string[];
  readonly node: string;
  readonly seconds: number;
  readonly kills: number;
  readonly json?: string;
}

/** Grace period for webhooks, ms. Longer than the lease of a delivery that a stopped service held. */
const settleMs = 60_000;
const measureMs = 1_000;
/** Time limits of a scenario, ms. The duration of the fault is added. A scenario that takes longer counts as broken. */
const limits = { aroundMs: 240_000, perKillMs: 20_000 };
const names = [...new Set(listFaults(1).map(({ name }) => name))];

await launch(
  new Command('check:faults')
    .description('Injects faults while readings are sent, and counts lost data.')
    .addOption(databaseOption)
    .option('--only <faults>', `faults, comma-separated: ${names.join(', ')}`, listOf(names))
    .option('--node <file>', 'Node program that runs the service', process.execPath)
    .option('--seconds <number>', 'duration of a fault, in seconds', positive, 20)
    .option('--kills <number>', 'number of kills (SIGKILL) of the service', positive, 20)
    .option('--json <file>', 'write all findings to a file')
    .action(check),
);

function check({ database, only, node, seconds, kills, json }: Options): Promise<void> {
  const faultMs = seconds * 1000;
  const chosen = listFaults(kills).filter(({ name }) => !only || only.includes(name));
  return runScenarios({
    ...{ database, json },
    choose: (kind) =>
      chosen
        .filter(({ databases }) => databases?.includes(kind) ?? true)
        .map((fault, index) => toScenario(fault, index + 1, faultMs)),
    options: { node, measureMs, settleMs, limitMs: limits.aroundMs + kills * limits.perKillMs + faultMs },
    report: (outcomes) => [reportOf(outcomes), ...outcomes.flatMap(linesOf)].join('\n'),
    promise: 'No acknowledged data was lost, and no response was a 500.',
  });
}
