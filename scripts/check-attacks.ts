/**
 * Replays attacks and faults against the built service, each on a service and a database of its own, and prints whether
 * the service withstands them and how they affect another account. Exits with 1 when it does not withstand one.
 */
import { writeFile } from 'node:fs/promises';
import { Command, InvalidArgumentError } from 'commander';
import type { DatabaseKind } from '../contract-tests/support/databases.js';
import { reportOf } from './attacks/report.js';
import { type Outcome, runScenario, type Scenario } from './attacks/scenario.js';
import { scenarios } from './attacks/scenarios.js';
import { databaseOption, type DatabaseWish, findDatabases, titleOf } from './bench/databases.js';
import { launch } from './terminal/launch.js';
import { positive } from './terminal/options.js';

interface Options {
  readonly database: DatabaseWish;
  readonly only?: readonly number[];
  readonly node: string;
  readonly seconds: number;
  readonly json?: string;
}

await launch(
  new Command('check:attacks')
    .description('Replays attacks and faults on loopback and measures how they affect another account.')
    .addOption(databaseOption)
    .option('--only <items>', 'numbers separated by commas, e.g. 1,3', readItems)
    .option('--node <file>', 'Node program that runs the service', process.execPath)
    .option('--seconds <number>', 'at least this long without and with each attack', positive, 8)
    .option('--json <file>', 'write all findings and latencies to a file')
    .addHelpText('after', `\nItems:\n${scenarios.map(({ item, title }) => `  ${item}  ${title}`).join('\n')}`)
    .action(check),
);

async function check({ database, only, node, seconds, json }: Options): Promise<void> {
  const chosen = scenarios.filter(({ item }) => !only || only.includes(item));
  const outcomes: Outcome[] = [];
  for (const kind of await findDatabases(database))
    for (const scenario of chosen) {
      console.error(`${titleOf(kind)}, item ${scenario.item}: ${scenario.title}`);
      const outcome = await run(scenario, kind, { node, measureMs: seconds * 1000 });
      console.error(`  ${outcome.holds ? 'holds' : 'BROKEN'} after ${outcome.seconds.toFixed(0)} s`);
      outcomes.push(outcome);
    }
  console.log(reportOf(outcomes));
  if (json !== undefined) await writeFile(json, `${JSON.stringify(outcomes, null, 2)}\n`);
  const broken = outcomes.filter(({ holds }) => !holds).length;
  console.log(broken === 0 ? '\nThe service withstands all of them.' : `\n${broken} of ${outcomes.length} are broken.`);
  if (broken > 0) process.exitCode = 1;
}

/** A scenario that cannot be played to its end counts as broken: a service that hangs is the usual cause. */
async function run(
  scenario: Scenario,
  kind: DatabaseKind,
  options: { node: string; measureMs: number },
): Promise<Outcome> {
  const startedAtMs = Date.now();
  return runScenario(scenario, { kind, ...options }).catch((error: Error) => {
    const nothing = { ingestMs: [], webhookMs: [], findings: [] };
    const findings = [{ what: error.message, found: 1, allowed: 0 }];
    const seconds = (Date.now() - startedAtMs) / 1000;
    const { item, title } = scenario;
    return { item, title, database: kind, holds: false, findings, without: nothing, with: nothing, seconds };
  });
}

function readItems(text: string): number[] {
  const known = new Set(scenarios.map(({ item }) => item));
  const items = text.split(',').map(Number);
  if (items.some((item) => !known.has(item))) throw new InvalidArgumentError(`Items are ${[...known].join(', ')}.`);
  return items;
}
