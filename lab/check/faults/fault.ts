import { setTimeout as sleep } from 'node:timers/promises';
import type { Column, TableRow } from '../../../packages/tools/terminal/table.js';
import { type DatabaseKind } from '../../../testkit/databases.js';
import { atLeast, type Row } from '../../../testkit/verdict.js';
import { titleOf } from '../../bench/support/databases.js';
import { figureColumns } from '../../figures.js';
import { tabulate } from '../attacks/report.js';
import { type Scenario, type ScenarioOutcome } from '../attacks/scenario.js';
import type { Stage, StageOptions } from '../attacks/stage.js';
import type { Counts } from '../shared/changes.js';
import { ask, headersOf } from '../shared/client.js';

/** The beginning and the end of a fault. */
interface Steps {
  readonly begin?: (stage: Stage) => unknown;
  readonly end?: (stage: Stage) => unknown;
}

/** A fault that begins and ends while readings are sent. */
export interface Fault extends Steps {
  readonly name: string;
  readonly title: string;
  /** Databases that the fault applies to. Absent: every database. */
  readonly databases?: readonly DatabaseKind[];
  /** Starts what the service needs at startup. Returns steps that replace those of the fault. */
  readonly setUp?: (defer: Stage['defer']) => Promise<Partial<StageOptions> & Steps> | (Partial<StageOptions> & Steps);
  /** Status that requests may get at the start of the fault, in addition to 503. */
  readonly excusedStatus?: number;
}

/** Time before and after the fault in which readings must be acknowledged, ms. */
const aroundMs = 3_000;

/** Converts the fault, of `faultMs`, to a scenario. Meanwhile, all operations are called, and none may return 500. */
export function toScenario(fault: Fault, item: number, faultMs: number): Scenario {
  let steps: Steps = fault;
  return {
    item,
    title: fault.title,
    judge: (counts) => findingsOfFault(counts, fault.excusedStatus),
    async setUp(defer) {
      const { begin = fault.begin, end = fault.end, ...options } = (await fault.setUp?.(defer)) ?? {};
      steps = { ...(begin && { begin }), ...(end && { end }) };
      return options;
    },
    async attack(stage) {
      let isOver = false;
      const probing = probe(stage, () => isOver);
      try {
        await sleep(aroundMs);
        await steps.begin?.(stage);
        await sleep(faultMs);
        await steps.end?.(stage);
        await sleep(aroundMs);
      } finally {
        isOver = true;
      }
      return probing;
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

/** Calls the other operations repeatedly until the fault ends. Returns one finding per response that is not allowed. */
async function probe({ service, attacker: { key } }: Stage, isOver: () => boolean): Promise<Row[]> {
  const statuses: Record<string, number> = {};
  for (let count = 0; !isOver(); count += 1) {
    const { path, method = 'GET', body } = calls[count % calls.length] as Call;
    const options = { method, timeout: answerMs, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const status = await ask(service().url + path, headersOf(key), options);
    const call = `${method} ${path.replace(/\?.*/, '')}: ${status}`;
    if (status >= 500 && status !== 503) statuses[call] = (statuses[call] ?? 0) + 1;
    await sleep(pauseMs);
  }
  return Object.entries(statuses).map(([what, found]) => ({ what, found, allowed: 0 }));
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
