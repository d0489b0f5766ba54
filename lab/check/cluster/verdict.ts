import { atLeast, type Row, rowsOfCounts, sumOf } from '../../../testkit/verdict.js';
import type { Loaded } from '../shared/load.js';
import { rowsOfEvents, type Verdict } from '../shared/verdict.js';
import type { Pauses } from './timeline.js';

/** Measurements of a run. */
export interface ClusterRun {
  /** Number of kills by the name of the victim. */
  readonly kills: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** `failed` are the resent requests, by the outcome of the previous request. */
  readonly readings: Pick<Loaded, 'acknowledged' | 'failed'>;
  /** Number of acknowledged readings that an export does not contain. */
  readonly lost: number;
  readonly reads: Reads;
  readonly events: Verdict;
  /** Monthly calls of the account in the database. */
  readonly calls: number;
  readonly pauses: Pauses;
  /** Number of changes of the database host, in the logs of all processes. */
  readonly hostChanges: number;
  /** Number of transactions that failed because another node had changed the same rows. */
  readonly conflicts: number;
  /** Number of nodes whose tables differ from those of the first node. */
  readonly differingNodes: number;
  /** Processes that ended unexpectedly. */
  readonly deaths: readonly string[];
}

/** Requests for the state of a session after one of its readings was acknowledged, through any process. */
export interface Reads {
  /** Number of requests, with and without a response. */
  readonly sent: number;
  readonly answered: number;
  /** Number of responses with a state from before the reading. */
  readonly stale: number;
}

/** Number of processes that serve requests. */
export const services = 2;

/** Returns the measurements of a run with their allowed ranges. */
export function rowsOf(run: ClusterRun): Row[][] {
  const { readings, pauses, reads } = run;
  return [
    [{ what: 'kills (SIGKILL)', found: sumOf(run.kills) }, ...rowsOfCounts(run.kills)],
    [
      { what: 'readings acknowledged', found: readings.acknowledged, allowed: atLeast(1) },
      { what: '  missing in an export', found: run.lost, allowed: 0 },
      { what: 'states read after an acknowledgment', found: reads.answered },
      { what: '  older than the acknowledged reading', found: reads.stale, allowed: 0 },
      { what: 'nodes whose tables differ', found: run.differingNodes, allowed: 0 },
    ],
    rowsOfEvents(run.events, 0),
    [{ what: 'monthly calls in the database', found: run.calls, allowed: callsAllowed(run) }],
    [
      { what: 'longest time without an acknowledged reading, ms', found: Math.round(pauses.longestMs) },
      ...Object.entries(pauses.longestMsAfter).map(([what, ms]) => ({
        what: `  after ${what}`,
        found: Math.round(ms),
      })),
      { what: 'longest time until a reading was acknowledged, ms', found: Math.round(pauses.longestWaitMs) },
      { what: '  99th percentile, ms', found: Math.round(pauses.waitP99Ms) },
      { what: '  median, ms', found: Math.round(pauses.waitP50Ms) },
      { what: 'changes of the database host, all processes', found: run.hostChanges },
      { what: 'transactions that conflicted with another node', found: run.conflicts },
    ],
    [
      { what: 'requests sent again', found: sumOf(readings.failed) },
      ...rowsOfCounts(readings.failed),
      { what: 'processes that ended unexpectedly', found: run.deaths.length, allowed: 0 },
    ],
  ];
}

/**
 * Returns the range of the monthly calls. The registration of the webhook and the reads are calls too. A killed service loses
 * the calls of at most one second. When a node is killed during a write, its outcome is unknown, so each service may count the
 * calls of at most one second twice.
 */
export function callsAllowed({ kills, readings, reads, pauses }: ClusterRun): [min: number, max: number] {
  const killed = (kind: string) =>
    sumOf(Object.fromEntries(Object.entries(kills).filter(([it]) => it.startsWith(kind))));
  const succeeded = readings.acknowledged + 1 + reads.answered;
  const sent = readings.acknowledged + 1 + sumOf(readings.failed) + reads.sent;
  const { peakPerSecond } = pauses;
  return [Math.max(0, succeeded - killed('service') * peakPerSecond), sent + killed('node') * services * peakPerSecond];
}
