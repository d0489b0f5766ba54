import type { Verdict } from '../webhooks/verdict.js';
import type { Pauses } from './timeline.js';

/** Measurements of a run. */
export interface ClusterRun {
  /** Number of kills by the name of the victim. */
  readonly kills: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly readings: {
    readonly acknowledged: number;
    /** Number of acknowledged readings that a history does not contain. */
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

export interface Row {
  readonly what: string;
  readonly found: number | string;
  /** Range that the number must be in. Absent: for information only. */
  readonly allowed?: readonly [min: number, max: number];
}

const none = [0, 0] as const;

/** Returns the measurements of a run with their allowed ranges. */
export function rowsOf(run: ClusterRun): Row[][] {
  const { readings, events, pauses } = run;
  return [
    [
      { what: 'kills (SIGKILL)', found: sum(run.kills) },
      ...Object.entries(run.kills).map(([name, found]) => ({ what: `  ${name}`, found })),
    ],
    [
      { what: 'readings acknowledged', found: readings.acknowledged },
      { what: '  missing in a history', found: readings.lost, allowed: none },
      { what: 'states read after an acknowledgment', found: run.reads.answered },
      { what: '  older than the acknowledged reading', found: run.reads.stale, allowed: none },
      { what: 'nodes whose tables differ', found: run.differingNodes, allowed: none },
    ],
    [
      { what: 'state changes in responses', found: events.acknowledged },
      { what: '  without a delivered event', found: events.lost + events.listedAsFailed, allowed: none },
      { what: 'events without a state change', found: events.invented, allowed: none },
      { what: 'state changes with two webhook-ids', found: events.renamed, allowed: none },
      { what: 'events whose body differs between attempts', found: events.altered, allowed: none },
      { what: 'events with an invalid signature', found: events.badSignatures, allowed: none },
      { what: 'events out of order within a session', found: events.outOfOrder, allowed: none },
      { what: 'events accepted more than once, same webhook-id', found: events.duplicates },
    ],
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
      { what: 'requests sent again', found: sum(run.errors) },
      ...Object.entries(run.errors).map(([name, found]) => ({ what: `  ${name}`, found })),
      { what: 'processes that ended unexpectedly', found: run.deaths.length, allowed: none },
    ],
  ];
}

/** Returns true if every measurement is in its range and something was measured. */
export function isUpheld(run: ClusterRun): boolean {
  const isIn = ({ found, allowed }: Row) =>
    allowed === undefined || (Number(found) >= allowed[0] && Number(found) <= allowed[1]);
  return run.readings.acknowledged > 0 && run.events.acknowledged > 0 && rowsOf(run).flat().every(isIn);
}

/**
 * A killed service loses the calls of at most one second. When a node is killed during a write, its outcome is unknown,
 * so each service may count the calls of at most one second twice.
 */
export function callsAllowed(calls: Calls): [min: number, max: number] {
  const { succeeded, sent, killedServices, killedNodes, services, peakPerSecond } = calls;
  return [Math.max(0, succeeded - killedServices * peakPerSecond), sent + killedNodes * services * peakPerSecond];
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
