import type { DatabaseKind } from '../../../contract-tests/support/databases.js';
import { type Column, type TableRow } from '../../../src/terminal/table.js';
import { type Contender, contenders, titles } from './contenders.js';
import type { Machine } from './machine.js';
import type { MeasuredRun, Sample } from './measure-run.js';
import { type Field, type Judged, type Measured } from './requirements.js';
import type { Runs } from './rounds.js';

/** The results of the contenders on one database. */
export interface BenchOutcome {
  readonly kind: DatabaseKind;
  /** Version of the database, as reported by the server. */
  readonly version: string;
  readonly field: Field;
  readonly judged: readonly Judged[];
  readonly runs: Runs<Contender, MeasuredRun>;
  /** Memory samples of the soak run. Empty if there was no soak run. */
  readonly soaked: readonly Sample[];
}

/** The content of the JSON report. */
export interface BenchReport {
  readonly takenAt: string;
  readonly machine: Machine;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly rounds: number;
  readonly connections: number;
  readonly outcomes: readonly BenchOutcome[];
}

const right = (title: string): Column => ({ title, align: 'right' });

export const contenderColumns: readonly Column[] = [
  { title: 'contender' },
  ...['requests/s', 'least', 'most', 'of (a)', 'of (b)', 'of (c)', 'p50 ms', 'p99 ms'].map(right),
  ...['CPU µs', 'MB', 'failed'].map(right),
];

export function contenderRows(field: Field): TableRow[] {
  return contenders.map((contender) => {
    const it = field[contender];
    const shares = (['bare', 'validated', 'storing'] as const).map((other) => shareOf(it, field[other]));
    const rates = [it.perSecond, it.least, it.most].map(whole);
    const rest = [it.p50Ms, it.p99Ms, it.cpuMicros, it.residentMb, it.failures].map(whole);
    return [titles[contender], ...rates, ...shares, ...rest];
  });
}

export const requirementColumns: readonly Column[] = [{ title: 'required' }, ...['bound', 'measured', ''].map(right)];

export function requirementRows(judged: readonly Judged[]): TableRow[] {
  return judged.map(({ what, is, bound, isGoal, measured, isMet }) => [
    isGoal ? `goal: ${what}` : what,
    `${is === 'below' ? '<' : '≥'} ${bound}`,
    digits(measured, bound < 10 ? 2 : 0),
    isMet ? 'met' : 'not met',
  ]);
}

/** Returns at most ten samples, evenly spaced. The last sample is always included. */
export function soakLine(soaked: readonly Sample[]): string {
  const step = Math.ceil(soaked.length / 10);
  const shown = soaked.filter((_, index) => (soaked.length - 1 - index) % step === 0);
  const figures = shown.map(({ residentMb }) => whole(residentMb)).join(' ');
  return `Resident MB of (d) over ${soaked.at(-1)?.answers ?? 0} requests to one process: ${figures}.`;
}

function shareOf(one: Measured, other: Measured): string {
  return one === other ? '' : digits(one.perSecond / other.perSecond, 2);
}

function whole(figure: number | undefined): string {
  return digits(figure, 0);
}

/** Formats a figure. A run without responses has no figures. */
function digits(figure: number | undefined, count: number): string {
  return figure === undefined || !Number.isFinite(figure) ? '–' : figure.toFixed(count);
}
