import type { DatabaseKind } from '../../contract-tests/support/databases.js';
import { type Finding, isBroken } from './finding.js';
import type { Phase } from './neighbor.js';
import { percentile } from './percentile.js';
import { openStage, type Stage, type StageOptions } from './stage.js';

/** Not measured: the service compiles its hot functions. */
const warmUpMs = 2_000;

/** An attack or a fault, replayed against a service of its own. */
export interface Scenario {
  /** The number by which `--only` selects it. */
  readonly item: number;
  readonly title: string;
  /** Target: the neighbor's p50 with the attack is at most so many times its p50 without. */
  readonly neighborRatioMax?: number;
  /** Starts what the service needs from its first moment; `defer` cleans it up. */
  readonly setUp?: (defer: Stage['defer']) => Promise<Partial<StageOptions>> | Partial<StageOptions>;
  /** Runs while the neighbor is idle. */
  readonly prepare?: (stage: Stage) => Promise<unknown>;
  /** Runs while the neighbor is measured. */
  readonly attack: (stage: Stage) => Promise<readonly Finding[]>;
  /** Runs afterwards. */
  readonly inspect?: (stage: Stage) => Promise<readonly Finding[]>;
}

export interface Outcome {
  readonly item: number;
  readonly title: string;
  readonly database: DatabaseKind;
  readonly holds: boolean;
  readonly findings: readonly Finding[];
  readonly without: Phase;
  readonly with: Phase;
  readonly seconds: number;
}

export interface RunOptions {
  readonly kind: DatabaseKind;
  /** The Node program that runs the service. */
  readonly node: string;
  /** How long the neighbor is measured, at least, without the attack and with it. */
  readonly measureMs: number;
}

export async function runScenario(scenario: Scenario, { kind, node, measureMs }: RunOptions): Promise<Outcome> {
  const startedAtMs = Date.now();
  const undos: Array<() => unknown> = [];
  try {
    const own = (await scenario.setUp?.((undo) => void undos.push(undo))) ?? {};
    const stage = await openStage({ kind, node, env: {}, neighborReceiverHost: '127.0.0.1', ...own });
    undos.push(stage.close);
    await stage.neighbor.measure(warmUpMs);
    const without = await stage.neighbor.measure(measureMs);
    await scenario.prepare?.(stage);
    const attack = scenario.attack(stage);
    const during = await stage.neighbor.measure(measureMs, attack);
    const inspected = (await scenario.inspect?.(stage)) ?? [];
    const ratios = ratiosOf(without, during, scenario.neighborRatioMax);
    const findings = [...(await attack), ...inspected, ...during.findings, ...ratios];
    if (without.findings.some(isBroken)) findings.push({ what: 'neighbor disturbed before', found: 1, allowed: 0 });
    const holds = !findings.some(isBroken);
    const seconds = (Date.now() - startedAtMs) / 1000;
    return {
      item: scenario.item,
      title: scenario.title,
      database: kind,
      holds,
      findings,
      without,
      with: during,
      seconds,
    };
  } finally {
    for (const undo of undos.reverse()) await undo();
  }
}

function ratiosOf(without: Phase, during: Phase, target: number | undefined): Finding[] {
  if (target === undefined) return [];
  const ratio = (pick: (phase: Phase) => readonly number[]) =>
    Number((percentile(pick(during), 0.5) / percentile(pick(without), 0.5)).toFixed(1));
  return [
    { what: "neighbor's ingest p50, × of that without", found: ratio(({ ingestMs }) => ingestMs), target },
    { what: "neighbor's webhook p50, × of that without", found: ratio(({ webhookMs }) => webhookMs), target },
  ];
}
