/**
 * Replays attacks and faults against the built service. Each scenario has its own service and database. Prints whether
 * the service withstands the scenario, and its effect on another account. Exits with 1 when the service does not
 * withstand a scenario.
 */
import { Command } from 'commander';
import { databaseOption, type DatabaseChoice } from '../bench/support/databases.js';
import { launch } from '../../testkit/launch.js';
import { positive } from '../options.js';
import { reportOf } from './attacks/report.js';
import { listOf, runScenarios } from './attacks/scenario.js';
import { scenarios } from './attacks/scenarios.js';

interface Options {
  readonly database: DatabaseChoice;
  readonly only?: readonly string[];
  readonly node: string;
  readonly seconds: number;
  readonly json?: string;
}

/**
 * Time limit of a scenario, ms. The duration of the measurements is added. The slowest scenario takes about 40 s on an
 * idle machine.
 */
const marginMs = 120_000;
const items = [...new Set(scenarios.map(({ item }) => String(item)))];

await launch(
  new Command('check:attacks')
    .description('Replays attacks and faults on loopback and measures how they affect another account.')
    .addOption(databaseOption)
    .option('--only <items>', 'numbers of scenarios, comma-separated, e.g. 1,3', listOf(items))
    .option('--node <file>', 'Node program that runs the service', process.execPath)
    .option(
      '--seconds <number>',
      'minimum duration of each measurement, without and with the attack, in seconds',
      positive,
      8,
    )
    .option('--json <file>', 'write all findings and latencies to a file')
    .addHelpText('after', `\nItems:\n${scenarios.map(({ item, title }) => `  ${item}  ${title}`).join('\n')}`)
    .action(check),
);

function check({ database, only, node, seconds, json }: Options): Promise<void> {
  const measureMs = seconds * 1000;
  return runScenarios({
    ...{ database, json, report: reportOf },
    choose: () => scenarios.filter(({ item }) => !only || only.includes(String(item))),
    options: { node, measureMs, limitMs: marginMs + 2 * measureMs },
    promise: 'The service withstands all scenarios.',
  });
}
