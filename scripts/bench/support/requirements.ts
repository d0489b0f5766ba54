import type { DatabaseKind } from '../../../contract-tests/support/databases.js';
import { type Contender, contenders } from './contenders.js';
import type { MeasuredRun } from './measure-run.js';
import { failuresOf, middleOf, type Runs } from './rounds.js';

/** Medians of all runs. `residentMb` is the maximum. */
export interface Measured {
  readonly perSecond: number;
  readonly least: number;
  readonly most: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMicros: number | undefined;
  readonly residentMb: number | undefined;
  readonly failures: number;
}

export type Field = Readonly<Record<Contender, Measured>>;

export function measure(runs: Runs<Contender, MeasuredRun>): Field {
  const entries = contenders.map((contender) => [contender, measureOne(runs[contender])] as const);
  return Object.fromEntries(entries) as Record<Contender, Measured>;
}

function measureOne(runs: readonly MeasuredRun[]): Measured {
  const rates = runs.map(({ perSecond }) => perSecond);
  const hasUsage = runs.every(({ cpuMicros, residentMb }) => cpuMicros !== undefined && residentMb !== undefined);
  return {
    perSecond: middleOf(runs, ({ perSecond }) => perSecond),
    least: Math.min(...rates),
    most: Math.max(...rates),
    p50Ms: middleOf(runs, ({ p50Ms }) => p50Ms),
    p99Ms: middleOf(runs, ({ p99Ms }) => p99Ms),
    cpuMicros: hasUsage ? middleOf(runs, ({ cpuMicros = 0 }) => cpuMicros) : undefined,
    residentMb: hasUsage ? Math.max(...runs.map(({ residentMb = 0 }) => residentMb)) : undefined,
    failures: failuresOf(runs),
  };
}

interface Requirement {
  readonly what: string;
  /** Database that the requirement applies to. Absent: all databases. */
  readonly only?: DatabaseKind;
  readonly is: 'at least' | 'below';
  readonly bound: number;
  readonly isGoal?: true;
  readonly figure: (field: Field) => number | undefined;
}

const ratio = (one: Contender, other: Contender) => (field: Field) => field[one].perSecond / field[other].perSecond;

/** The bounds that the service must meet, and goals that exceed the bounds. */
const requirements: readonly Requirement[] = [
  { what: '(d) of (b), throughput', only: 'mysql', is: 'at least', bound: 0.7, figure: ratio('service', 'validated') },
  {
    what: '(d) of (b), throughput',
    only: 'sqlite',
    is: 'at least',
    bound: 0.8,
    figure: ratio('service', 'validated'),
  },
  { what: '(d) of (c), throughput', only: 'mysql', is: 'at least', bound: 1.5, figure: ratio('service', 'storing') },
  {
    what: '(d) of (b), p99',
    only: 'mysql',
    is: 'below',
    bound: 4,
    figure: ({ service, validated }) => service.p99Ms / validated.p99Ms,
  },
  { what: '(e) of (b), throughput', only: 'mysql', is: 'at least', bound: 0.5, figure: ratio('turns', 'validated') },
  { what: '(e) of (b), throughput', only: 'sqlite', is: 'at least', bound: 0.6, figure: ratio('turns', 'validated') },
  { what: '(d) resident MB', is: 'below', bound: 200, figure: ({ service }) => service.residentMb },
  {
    what: '(d) of (a), throughput',
    only: 'mysql',
    is: 'at least',
    bound: 0.6,
    isGoal: true,
    figure: ratio('service', 'bare'),
  },
  {
    what: '(d) of (c), throughput',
    only: 'mysql',
    is: 'at least',
    bound: 2,
    isGoal: true,
    figure: ratio('service', 'storing'),
  },
];

export interface Judged {
  readonly what: string;
  readonly is: 'at least' | 'below';
  readonly bound: number;
  readonly isGoal: boolean;
  readonly measured: number | undefined;
  readonly isMet: boolean;
}

export function judge(kind: DatabaseKind, field: Field): Judged[] {
  return requirements
    .filter(({ only = kind }) => only === kind)
    .map(({ what, is, bound, isGoal = false, figure }) => {
      const measured = figure(field);
      const isMet = measured !== undefined && (is === 'below' ? measured < bound : measured >= bound);
      return { what, is, bound, isGoal, measured, isMet };
    });
}
