import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidArgumentError } from 'commander';
import { quantile } from '../../../packages/tools/terminal/quantile.js';
import type { DatabaseKind } from '../../../testkit/databases.js';
import { isAllowed, type Row } from '../../../testkit/verdict.js';
import { type DatabaseChoice, findDatabases, titleOf } from '../../bench/support/databases.js';
import type { Counts, Phase } from '../shared/changes.js';
import { findingsOf } from './neighbor.js';
import { openStage, type Stage, type StageOptions } from './stage.js';

/** Warm-up before the measurement, ms. The service compiles its hot functions. */
const warmUpMs = 2_000;

/** Runs while the neighbor is measured. Returns what it measured. */
export type Attack = (stage: Stage) => Promise<readonly Row[]>;

/** An attack or a fault. Each scenario runs against its own service. */
export interface Scenario {
  /** Number that selects the scenario with `--only`. */
  readonly item: number;
  readonly title: string;
  /** Target for the ratio between the neighbor's p50 with and without the attack. */
  readonly neighborRatioMax?: number;
  /** Time limit, ms. Default: that of the check. */
  readonly limitMs?: number;
  /** Starts resources that the service needs at startup. `defer` registers their cleanup. */
  readonly setUp?: (defer: Stage['defer']) => Promise<Partial<StageOptions>> | Partial<StageOptions>;
  /** Checks the neighbor's requests during the attack. Default: requires that none failed. */
  readonly judge?: (counts: Counts) => Row[];
  /** The attack, or work that prepares it while the neighbor is idle and returns it. */
  readonly attack?: Attack;
  readonly prepare?: (stage: Stage) => Promise<Attack>;
}

export interface ScenarioOutcome {
  readonly item: number;
  readonly title: string;
  readonly database: DatabaseKind;
  readonly holds: boolean;
  readonly findings: readonly Row[];
  readonly without: Phase;
  readonly with: Phase;
  readonly seconds: number;
}

interface RunOptions {
  readonly kind: DatabaseKind;
  /** Path of the Node program that runs the service. */
  readonly node: string;
  /** Minimum duration of each measurement of the neighbor, with and without the attack, ms. */
  readonly measureMs: number;
  /** Grace period for the neighbor's webhooks after a phase, ms. */
  readonly settleMs?: number;
  /** Time limit of a scenario, ms. A scenario that takes longer counts as broken. */
  readonly limitMs: number;
}

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

/** Runs the scenarios one after another. Prints one line per scenario to standard error. */
async function playAll(scenarios: readonly Scenario[], options: RunOptions): Promise<ScenarioOutcome[]> {
  const outcomes: ScenarioOutcome[] = [];
  for (const scenario of scenarios) {
    console.error(`${titleOf(options.kind)}: ${scenario.title}`);
    const outcome = await playOrBreak(scenario, options);
    console.error(`  ${outcome.holds ? 'holds' : 'BROKEN'}, ${outcome.seconds.toFixed(0)} s`);
    for (const { what, found } of outcome.findings.filter((row) => !isAllowed(row)))
      console.error(`  ${what}: ${found}`);
    outcomes.push(outcome);
  }
  return outcomes;
}

/**
 * Runs a scenario. A scenario that fails or exceeds its time limit counts as broken. The usual reason is a service that
 * hangs.
 */
async function playOrBreak(scenario: Scenario, options: RunOptions): Promise<ScenarioOutcome> {
  const startedAtMs = Date.now();
  const undos: Array<() => unknown> = [];
  const { limitMs = options.limitMs } = scenario;
  const timer = new AbortController();
  const limit = sleep(limitMs, undefined, timer).then(() => {
    throw new Error(`timeout after ${limitMs / 1000} s`);
  });
  const played = await Promise.race([play(scenario, options, (undo) => void undos.push(undo)), limit])
    .catch((error: Error) => ({ findings: failed(error), without: nothing, with: nothing }))
    .finally(() => timer.abort());
  for (const undo of undos.reverse()) await undo();
  const holds = !played.findings.some((row) => !isAllowed(row));
  const seconds = (Date.now() - startedAtMs) / 1000;
  return { item: scenario.item, title: scenario.title, database: options.kind, holds, seconds, ...played };
}

const nothing: Phase = {
  ingestMs: [],
  webhookMs: [],
  counts: { acknowledged: 0, lost: 0, changes: 0, missing: [], failures: {} },
};

async function play(
  scenario: Scenario,
  { kind, node, measureMs, settleMs }: RunOptions,
  defer: Stage['defer'],
): Promise<Pick<ScenarioOutcome, 'findings' | 'without' | 'with'>> {
  const { judge = findingsOf } = scenario;
  const own = (await scenario.setUp?.(defer)) ?? {};
  const stage = await openStage({ kind, node, ...(settleMs !== undefined && { settleMs }), ...own }, defer);
  await stage.neighbor.measure(warmUpMs);
  const without = await stage.neighbor.measure(measureMs);
  const attack = (await scenario.prepare?.(stage)) ?? scenario.attack;
  if (!attack) throw new Error('the scenario has no attack');
  const attacking = attack(stage).catch(failed);
  const during = await stage.neighbor.measure(measureMs, attacking);
  const ratios = ratiosOf(without, during, scenario.neighborRatioMax);
  const findings = [...(await attacking), ...judge(during.counts), ...ratios];
  if (findingsOf(without.counts).some((row) => !isAllowed(row)))
    findings.push({ what: 'neighbor disturbed before the attack', found: 1, allowed: 0 });
  return { findings, without, with: during };
}

function failed(error: Error): Row[] {
  return [{ what: `not completed: ${error.message.split('\n')[0]}`, found: 1, allowed: 0 }];
}

function ratiosOf(without: Phase, during: Phase, target: number | undefined): Row[] {
  if (target === undefined) return [];
  const ratio = (pick: (phase: Phase) => readonly number[]) =>
    Number((quantile(pick(during), 0.5) / quantile(pick(without), 0.5)).toFixed(1));
  return [
    { what: "neighbor's ingest p50 (× without attack)", found: ratio(({ ingestMs }) => ingestMs), target },
    { what: "neighbor's webhook p50 (× without attack)", found: ratio(({ webhookMs }) => webhookMs), target },
  ];
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
