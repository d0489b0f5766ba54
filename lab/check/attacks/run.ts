import { writeFile } from 'node:fs/promises';
import { InvalidArgumentError } from 'commander';
import type { DatabaseKind } from '../../../testkit/databases.js';
import { type DatabaseChoice, findDatabases } from '../../bench/support/databases.js';
import { playAll, type RunOptions, type Scenario, type ScenarioOutcome } from './scenario.js';

interface Check {
  readonly database: DatabaseChoice;
  /** File for all findings and latencies. */
  readonly json: string | undefined;
  readonly options: Omit<RunOptions, 'kind'>;
  readonly choose: (kind: DatabaseKind) => readonly Scenario[];
  readonly report: (outcomes: readonly ScenarioOutcome[]) => string;
  /** Printed when every scenario holds. */
  readonly promise: string;
}

/** Runs the scenarios on each database and prints the report. Sets the exit code to 1 when a scenario is broken. */
export async function runScenarios({ database, json, options, choose, report, promise }: Check): Promise<void> {
  const outcomes: ScenarioOutcome[] = [];
  for (const kind of await findDatabases(database))
    outcomes.push(...(await playAll(choose(kind), { ...options, kind })));
  console.log(report(outcomes));
  if (json !== undefined) await writeFile(json, `${JSON.stringify(outcomes, null, 2)}\n`);
  const broken = outcomes.filter(({ holds }) => !holds).length;
  console.log(`\n${broken === 0 ? promise : `${broken} of ${outcomes.length} scenarios are broken.`}`);
  if (broken > 0) process.exitCode = 1;
}

/** Returns a parser of a comma-separated list of known names. */
export function listOf(known: readonly string[]): (text: string) => string[] {
  return (text) => {
    const chosen = text.split(',');
    if (chosen.some((name) => !known.includes(name)))
      throw new InvalidArgumentError(`Must be a comma-separated list of: ${known.join(', ')}.`);
    return chosen;
  };
}
