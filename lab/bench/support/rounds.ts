import { withProgress } from '../../../packages/tools/terminal/progress.js';
import { quantile } from '../../../packages/tools/terminal/quantile.js';
import type { Run } from './generator.js';

/** The runs of each subject, in the order of the rounds. */
export type Runs<Name extends string, Taken extends Run = Run> = Readonly<Record<Name, readonly Taken[]>>;

/** Runs each contender once per round, in reverse order in every second round, because a shared machine changes. */
export async function takeTurns<Name extends string, Taken>(
  names: readonly Name[],
  rounds: number,
  take: (name: Name) => Promise<Taken>,
): Promise<Readonly<Record<Name, readonly Taken[]>>> {
  const runs = Object.fromEntries(names.map((name) => [name, [] as Taken[]])) as Record<Name, Taken[]>;
  return withProgress(rounds * names.length, 'runs', async ({ advance }) => {
    for (let round = 0; round < rounds; round += 1)
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        runs[name].push(await take(name));
        advance();
      }
    return runs;
  });
}

/** Returns the median of one figure over all runs. */
export function middleOf<Taken>(runs: readonly Taken[], pick: (run: Taken) => number): number {
  return middle(runs.map(pick));
}

export function middle(values: readonly number[]): number {
  return quantile(values, 0.5);
}

function failuresOf(runs: readonly Run[]): number {
  return runs.reduce((sum, { failures }) => sum + failures, 0);
}

/** Column titles of throughput and latency. */
export const runTitles = ['requests/s', 'least', 'most', 'p50 ms', 'p99 ms', 'failed'];

export function runCells(runs: readonly Run[]): string[] {
  const rates = runs.map(({ perSecond }) => perSecond);
  const figures = [middle(rates), Math.min(...rates), Math.max(...rates)];
  const latencies = [middleOf(runs, ({ p50Ms }) => p50Ms), middleOf(runs, ({ p99Ms }) => p99Ms)];
  return [
    ...[...figures, ...latencies].map((figure) => (Number.isFinite(figure) ? figure.toFixed(0) : '–')),
    String(failuresOf(runs)),
  ];
}

/** Sets the exit code to 1 when requests failed. */
export function condemnFailures(all: readonly (readonly Run[])[]): void {
  if (all.every((runs) => failuresOf(runs) === 0)) return;
  console.log('Requests failed: these figures are invalid.');
  process.exitCode = 1;
}
