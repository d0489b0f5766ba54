import { type Row, rowsOfCounts, sumOf } from '../../../testkit/verdict.js';
import { rowsOfEvents, type Verdict } from '../shared/verdict.js';
import type { Pauses } from './timeline.js';

/** Measurements of a run. */
export interface ClusterRun {
  /** Number of kills by the name of the victim. */
  readonly kills: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly readings: {
    readonly acknowledged: number;
    /** Number of acknowledged readings that an export does not contain. */
    readonly lost: number;
  };
  readonly reads: Reads;
  readonly events: Verdict;
  readonly calls: Calls;
  readonly pauses: Pauses;
  /** Number of resent requests, by the outcome of the previous request. */
  readonly errors: Readonly<Record<string, number>>;
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
  readonly answered: number;
  /** Number of responses with a state from before the reading. */
  readonly stale: number;
}

/** Monthly calls of the account. */
export interface Calls {
  /** Number in the database. */
  readonly counted: number;
  /** Number of requests that got a 2xx response. */
  readonly succeeded: number;
  /** Number of all requests, with and without a response. */
  readonly sent: number;
  readonly killedServices: number;
  readonly killedNodes: number;
  /** Number of processes that serve requests. */
  readonly services: number;
  /** Highest number of calls per second. */
  readonly peakPerSecond: number;
}

const some = [1, Number.POSITIVE_INFINITY] as const;

/** Returns the measurements of a run with their allowed ranges. */
export function rowsOf(run: ClusterRun): Row[][] {
  const { readings, pauses, reads } = run;
  return [
    [{ what: 'kills (SIGKILL)', found: sumOf(run.kills) }, ...rowsOfCounts(run.kills)],
    [
      { what: 'readings acknowledged', found: readings.acknowledged, allowed: some },
      { what: '  missing in an export', found: readings.lost, allowed: 0 },
      { what: 'states read after an acknowledgment', found: reads.answered },
      { what: '  older than the acknowledged reading', found: reads.stale, allowed: 0 },
      { what: 'nodes whose tables differ', found: run.differingNodes, allowed: 0 },
    ],
    rowsOfEvents(run.events, 0),
    [{ what: 'monthly calls in the database', found: run.calls.counted, allowed: callsAllowed(run.calls) }],
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
      { what: 'requests sent again', found: sumOf(run.errors) },
      ...rowsOfCounts(run.errors),
      { what: 'processes that ended unexpectedly', found: run.deaths.length, allowed: 0 },
    ],
  ];
}

/**
 * A killed service loses the calls of at most one second. When a node is killed during a write, its outcome is unknown,
 * so each service may count the calls of at most one second twice.
 */
export function callsAllowed(calls: Calls): [min: number, max: number] {
  const { succeeded, sent, killedServices, killedNodes, services, peakPerSecond } = calls;
  return [Math.max(0, succeeded - killedServices * peakPerSecond), sent + killedNodes * services * peakPerSecond];
}
