/**
 * Injects faults while readings are sent: killed processes, a stopped, frozen or full database, a full log, a clock set
 * back, a wrong secrets key, a frozen Redis. Exits with 1 if an acknowledged reading or its webhook is lost, or if a response has status
 * 500.
 */
import { writeFile } from 'node:fs/promises';
import { Command, InvalidArgumentError } from 'commander';
import { linesOf } from './attacks/report.js';
import { type ScenarioOutcome, playAll, type RunOptions } from './attacks/scenario.js';
import { databaseOption, type DatabaseChoice, findDatabases } from '../bench/support/databases.js';
import { toScenario } from './faults/fault.js';
import { listFaults } from './faults/faults.js';
import { reportOf } from './faults/report.js';
import { launch } from '../terminal/launch.js';
import { positive } from '../terminal/options.js';

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
/** Time limits of a scenario in addition to the fault, ms. A scenario that takes longer counts as broken. */
const limits = { aroundMs: 240_000, perKillMs: 20_000 };
const names = [...new Set(listFaults(1).map(({ name }) => name))];

await launch(
  new Command('check:faults')
    .description('Injects faults while readings are sent, and counts lost data.')
    .addOption(databaseOption)
    .option('--only <faults>', `faults, comma-separated: ${names.join(', ')}`, readNames)
    .option('--node <file>', 'Node program that runs the service', process.execPath)
    .option('--seconds <number>', 'duration of a fault, in seconds', positive, 20)
    .option('--kills <number>', 'number of kills (SIGKILL) of the service', positive, 20)
    .option('--json <file>', 'write all findings to a file')
    .action(check),
);

async function check({ database, only, node, seconds, kills, json }: Options): Promise<void> {
  const chosen = listFaults(kills).filter(({ name }) => !only || only.includes(name));
  const limitMs = limits.aroundMs + kills * limits.perKillMs + seconds * 1000;
  const options: Omit<RunOptions, 'kind'> = { node, measureMs, settleMs, limitMs };
  const outcomes: ScenarioOutcome[] = [];
  for (const kind of await findDatabases(database)) {
    const faults = chosen.filter(({ databases }) => databases?.includes(kind) ?? true);
    const scenarios = faults.map((fault, index) => toScenario(fault, index + 1, { faultMs: seconds * 1000 }));
    outcomes.push(...(await playAll(scenarios, { ...options, kind })));
  }
  console.log([reportOf(outcomes), ...outcomes.flatMap(linesOf)].join('\n'));
  if (json !== undefined) await writeFile(json, `${JSON.stringify(outcomes, null, 2)}\n`);
  const isWell = outcomes.every(({ holds }) => holds);
  console.log(
    isWell
      ? '\nNo acknowledged data was lost, and no response was a 500.'
      : '\nThe service does not withstand every fault.',
  );
  if (!isWell) process.exitCode = 1;
}

function readNames(text: string): string[] {
  const chosen = text.split(',');
  if (chosen.some((name) => !names.includes(name)))
    throw new InvalidArgumentError(`Must be a comma-separated list of: ${names.join(', ')}.`);
  return chosen;
}
