import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseKind } from '../../../testkit/databases.js';
import { isAllowed, type Row } from '../../../testkit/verdict.js';
import type { Phase } from './neighbor.js';
import { type Counts, findingsOf } from './neighbor.js';
import { quantile } from '../../../packages/tools/terminal/quantile.js';
import { titleOf } from '../../bench/support/databases.js';
import { openStage, type Stage, type StageOptions } from './stage.js';

/** Warm-up before the measurement, ms. The service compiles its hot functions. */
const warmUpMs = 2_000;

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
  /** Runs before the attack, while the neighbor is idle. */
  readonly prepare?: (stage: Stage) => Promise<unknown>;
  /** Runs while the neighbor is measured. */
  readonly attack: (stage: Stage) => Promise<readonly Row[]>;
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

export interface RunOptions {
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

/** Runs the scenarios one after another. Prints one line per scenario to standard error. */
export async function playAll(scenarios: readonly Scenario[], options: RunOptions): Promise<ScenarioOutcome[]> {
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
  const { signal, limit } = startLimit(scenario.limitMs ?? options.limitMs);
  const played = await Promise.race([play(scenario, options, undos), limit])
    .catch((error: Error) => ({ findings: failed(error), without: nothing, with: nothing }))
    .finally(() => signal.abort());
  for (const undo of undos.reverse()) await undo();
  const holds = !played.findings.some((row) => !isAllowed(row));
  const seconds = (Date.now() - startedAtMs) / 1000;
  return { item: scenario.item, title: scenario.title, database: options.kind, holds, seconds, ...played };
}

/** Starts a time limit. `limit` rejects after `limitMs`. `signal` stops the timer. */
function startLimit(limitMs: number): { readonly signal: AbortController; readonly limit: Promise<never> } {
  const signal = new AbortController();
  const limit = sleep(limitMs, undefined, { signal: signal.signal }).then(() => {
    throw new Error(`timeout after ${limitMs / 1000} s`);
  });
  return { signal, limit };
}

const nothing: Phase = {
  ingestMs: [],
  webhookMs: [],
  counts: { acknowledged: 0, lost: 0, changes: 0, missing: [], failures: {} },
};

/** Runs a scenario. Adds its cleanup functions to `undos`. */
async function play(
  scenario: Scenario,
  { kind, node, measureMs, settleMs }: RunOptions,
  undos: Array<() => unknown>,
): Promise<Pick<ScenarioOutcome, 'findings' | 'without' | 'with'>> {
  const { judge = findingsOf } = scenario;
  const own = (await scenario.setUp?.((undo) => void undos.push(undo))) ?? {};
  const stage = await openStage({ kind, node, ...(settleMs !== undefined && { settleMs }), ...own });
  undos.push(stage.close);
  await stage.neighbor.measure(warmUpMs);
  const without = await stage.neighbor.measure(measureMs);
  await scenario.prepare?.(stage);
  const attack = scenario.attack(stage).catch(failed);
  const during = await stage.neighbor.measure(measureMs, attack);
  const ratios = ratiosOf(without, during, scenario.neighborRatioMax);
  const findings = [...(await attack), ...judge(during.counts), ...ratios];
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
