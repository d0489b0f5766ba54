import { setTimeout as sleep } from 'node:timers/promises';
import type { Column, TableRow } from '../../../packages/tools/terminal/table.js';
import { type DatabaseKind } from '../../../testkit/databases.js';
import { atLeast, type Row } from '../../../testkit/verdict.js';
import { titleOf } from '../../bench/support/databases.js';
import { figureColumns } from '../../figures.js';
import { type Counts } from '../attacks/neighbor.js';
import { tabulate } from '../attacks/report.js';
import { type Scenario, type ScenarioOutcome } from '../attacks/scenario.js';
import { type Stage } from '../attacks/stage.js';

/** A fault that begins and ends while readings are sent. */
export interface Fault {
  readonly name: string;
  readonly title: string;
  /** Databases that the fault applies to. Absent: every database. */
  readonly databases?: readonly DatabaseKind[];
  readonly setUp?: Scenario['setUp'];
  /** Status that requests may get at the start of the fault, in addition to 503. */
  readonly excusedStatus?: number;
  readonly begin: (stage: Stage) => unknown;
  readonly end?: (stage: Stage) => unknown;
}

export interface FaultTimes {
  /** Duration of the fault, ms. */
  readonly faultMs: number;
}

/** Time before and after the fault in which readings must be acknowledged, ms. */
const aroundMs = 3_000;

/** Converts the fault to a scenario. During the fault, all operations are called, and none may return 500. */
export function toScenario(fault: Fault, item: number, { faultMs }: FaultTimes): Scenario {
  return {
    item,
    title: fault.title,
    judge: (counts) => findingsOfFault(counts, fault.excusedStatus),
    ...(fault.setUp && { setUp: fault.setUp }),
    async attack(stage) {
      const probe = startProbe(stage);
      await sleep(aroundMs);
      await fault.begin(stage);
      await sleep(faultMs);
      await fault.end?.(stage);
      await sleep(aroundMs);
      return probe.stop();
    },
  };
}

const unavailable = 'status 503';

/**
 * Returns the findings of a fault. During the fault, a request may fail with 503 or get no response. Acknowledged data
 * must not be lost.
 */
export function findingsOfFault(
  { acknowledged, lost, changes, missing, failures }: Counts,
  excusedStatus?: number,
): Row[] {
  return [
    { what: 'readings acknowledged', found: acknowledged },
    { what: 'acknowledged readings lost', found: lost, allowed: 0 },
    { what: 'state changes', found: changes, allowed: atLeast(1) },
    { what: 'webhooks missing', found: missing.length, allowed: 0 },
    ...Object.entries(failures).map(([what, found]) => ({
      ...{ what, found },
      ...(isExcused(what) || what === `status ${excusedStatus}` ? {} : { allowed: 0 }),
    })),
  ];
}

/**
 * Returns true for a closed connection or a missing response. The client does not know the outcome in these cases, so
 * it resends the request.
 */
function isExcused(why: string): boolean {
  return why === unavailable || !why.startsWith('status ');
}

const pauseMs = 100;
const answerMs = 15_000;
const session = 'probed';

interface Call {
  readonly path: string;
  readonly method?: string;
  readonly body?: unknown;
}

/** Calls that read and write each table family. */
const calls: readonly Call[] = [
  { path: `/v1/state?session_id=${session}` },
  { path: `/v1/history?session_id=${session}&minutes=60` },
  { path: '/v1/triggers?subject_id=probed' },
  { path: '/v1/subjects/probed', method: 'DELETE' },
  { path: '/webhooks' },
  { path: '/webhooks/retries' },
  { path: '/webhooks/retries', method: 'POST', body: { delivery_ids: ['none'] } },
  { path: '/webhooks/register', method: 'POST', body: { url: 'http://127.0.0.1:9/none', events: ['state_change'] } },
  { path: '/readyz' },
];

interface Probe {
  /** Stops the calls. Resolves with one finding per response that is not allowed during the fault. */
  stop(): Promise<readonly Row[]>;
}

/** Calls the other operations repeatedly during a fault. */
function startProbe({ service, attacker: { key } }: Stage): Probe {
  const statuses = new Map<string, number>();
  let isStopped = false;
  const run = async () => {
    for (let count = 0; !isStopped; count += 1) {
      const { path, method = 'GET', body } = calls[count % calls.length] as Call;
      const status = await statusOf(service().url + path, method, key, body);
      if (status >= 500 && status !== 503) {
        const call = `${method} ${path.replace(/\?.*/, '')}: ${status}`;
        statuses.set(call, (statuses.get(call) ?? 0) + 1);
      }
      await sleep(pauseMs);
    }
  };
  const running = run();
  return {
    async stop() {
      isStopped = true;
      await running;
      return [...statuses].map(([what, found]) => ({ what, found, allowed: 0 }));
    },
  };
}

/** Resolves with the status of a request. 0 if there is no response. */
async function statusOf(url: string, method: string, key: string, body: unknown): Promise<number> {
  const headers = { 'X-Service-Key': key, 'Content-Type': 'application/json' };
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  const signal = AbortSignal.timeout(answerMs);
  try {
    const response = await fetch(url, { method, headers, ...text, signal });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

const counted = [
  'acknowledged',
  'lost',
  '503',
  'no response',
  'other 5xx and 4xx',
  'state changes',
  'webhooks missing',
];
const columns: readonly Column[] = [
  ...['fault', 'database', 'verdict'].map((title) => ({ title })),
  ...figureColumns(...counted),
];

export function reportOf(outcomes: readonly ScenarioOutcome[]): string {
  return tabulate(columns, outcomes, toRow);
}

function toRow({ title, database, holds, with: { counts } }: ScenarioOutcome): TableRow {
  const { acknowledged, lost, changes, missing, failures } = counts;
  const sum = (isIt: (why: string) => boolean) =>
    Object.entries(failures).reduce((total, [why, count]) => total + (isIt(why) ? count : 0), 0);
  const figures = [
    ...[acknowledged, lost, sum((why) => why === unavailable)],
    ...[sum((why) => isExcused(why) && why !== unavailable), sum((why) => !isExcused(why)), changes, missing.length],
  ];
  return [title, titleOf(database), holds ? 'holds' : 'BROKEN', ...figures.map(String)];
}
