import { setTimeout as sleep } from 'node:timers/promises';
import type { Schema } from '../../../src/contract.js';
import type { Request } from '../webhooks/client.js';
import type { Finding } from './finding.js';

const lookMs = 50;
const historyMinutes = 60;

/** Results of the readings and state changes of a phase. */
export interface Counts {
  readonly acknowledged: number;
  /** Number of acknowledged readings that are missing in the history. */
  readonly lost: number;
  readonly changes: number;
  /** Session and timestamp of each state change whose webhook had not arrived at the end of the wait. */
  readonly missing: readonly string[];
  /** Number of requests without status 200, by status or error code. */
  readonly failures: Readonly<Record<string, number>>;
}

/** The records of one phase. */
export interface Observed {
  readonly ingestMs: number[];
  readonly failures: Map<string, number>;
  readonly acknowledged: Map<string, string[]>;
  /** Send time of each state change, as a value of `performance.now`. */
  readonly changes: Map<string, number>;
}

export async function waitForWebhooks(
  { changes }: Observed,
  arrivedAt: ReadonlyMap<string, number>,
  settleMs: number,
): Promise<void> {
  const endsAt = performance.now() + settleMs;
  while ([...changes.keys()].some((change) => !arrivedAt.has(change)) && performance.now() < endsAt)
    await sleep(lookMs);
}

export async function countLost(ask: Request, acknowledged: ReadonlyMap<string, readonly string[]>): Promise<number> {
  const counts = [...acknowledged].map(async ([session, timestamps]) => {
    if (timestamps.length === 0) return 0;
    const path = `/v1/history?session_id=${session}&minutes=${historyMinutes}`;
    const history = await ask<Schema<'History'>>(path).catch(() => undefined);
    const stored = new Set(history?.datapoints.map(({ timestamp }) => timestamp));
    return timestamps.filter((timestamp) => !stored.has(timestamp)).length;
  });
  return (await Promise.all(counts)).reduce((sum, lost) => sum + lost, 0);
}

export function countsOf(
  { failures, acknowledged, changes }: Observed,
  arrivedAt: ReadonlyMap<string, number>,
  lost: number,
): Counts {
  const missing = [...changes.keys()].filter((change) => !arrivedAt.has(change));
  return {
    acknowledged: [...acknowledged.values()].reduce((sum, { length }) => sum + length, 0),
    ...{ lost, changes: changes.size, missing, failures: Object.fromEntries(failures) },
  };
}

/** Returns findings that pass if every request of the neighbor got a 200. */
export function findingsOf({ acknowledged, lost, changes, missing, failures }: Counts): Finding[] {
  return [
    { what: "neighbor's readings acknowledged", found: acknowledged },
    ...Object.entries(failures).map(([why, found]) => ({
      what: `neighbor's requests that failed: ${why}`,
      ...{ found, allowed: 0 },
    })),
    { what: "neighbor's acknowledged readings lost", found: lost, allowed: 0 },
    { what: "neighbor's state changes", found: changes },
    { what: "neighbor's webhooks that did not arrive in time", found: missing.length, allowed: 0 },
  ];
}
