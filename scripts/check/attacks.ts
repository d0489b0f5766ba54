/**
 * Replays attacks and faults against the built service. Each scenario has its own service and database. Prints whether
 * the service withstands the scenario, and its effect on another account. Exits with 1 when the service does not
 * withstand a scenario.
 */
import { writeFile } from 'node:fs/promises';
import { Command, InvalidArgumentError } from 'commander';
import { reportOf } from './attacks/report.js';
import { type ScenarioOutcome, playAll } from './attacks/scenario.js';
import { scenarios } from './attacks/scenarios.js';
import { databaseOption, type DatabaseChoice, findDatabases } from '../bench/support/databases.js';
import { launch } from '../terminal/launch.js';
import { positive } from '../terminal/options.js';

interface Options {
  readonly database: DatabaseChoice;
  readonly only?: readonly number[];
  readonly node: string;
  readonly seconds: number;
  readonly json?: string;
}

/**
 * Time limit of a scenario in addition to its measurements, ms. The slowest scenario takes about 40 s on an idle
 * machine.
 */
const marginMs = 120_000;

await launch(
  new Command('check:attacks')
    .description('Replays attacks and faults on loopback and measures how they affect another account.')
    .addOption(databaseOption)
    .option('--only <items>', 'numbers of scenarios, comma-separated, e.g. 1,3', readItems)
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

async function check({ database, only, node, seconds, json }: Options): Promise<void> {
  const chosen = scenarios.filter(({ item }) => !only || only.includes(item));
  const outcomes: ScenarioOutcome[] = [];
  const measureMs = seconds * 1000;
  for (const kind of await findDatabases(database))
    outcomes.push(...(await playAll(chosen, { kind, node, measureMs, limitMs: marginMs + 2 * measureMs })));
  console.log(reportOf(outcomes));
  const total = outcomes.reduce((sum, outcome) => sum + outcome.seconds, 0);
  console.log(`\nTotal: ${Math.round(total)} s`);
  if (json !== undefined) await writeFile(json, `${JSON.stringify(outcomes, null, 2)}\n`);
  const broken = outcomes.filter(({ holds }) => !holds).length;
  console.log(
    broken === 0
      ? '\nThe service withstands all scenarios.'
      : `\n${broken} of ${outcomes.length} scenarios are broken.`,
  );
  if (broken > 0) process.exitCode = 1;
}

function readItems(text: string): number[] {
  const known = new Set(scenarios.map(({ item }) => item));
  const items = text.split(',').map(Number);
  if (items.some((item) => !known.has(item)))
    throw new InvalidArgumentError(`Must be a comma-separated list of: ${[...known].join(', ')}.`);
  return items;
}
