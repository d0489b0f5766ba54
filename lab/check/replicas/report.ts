import { limits } from '../../../generated/spec.js';
import { textTable } from '../../../packages/tools/terminal/table.js';
import { printVerdict, type Row } from '../../../testkit/verdict.js';
import { condemnFailures, middleOf, runCells, type Runs, runTitles } from '../../bench/support/rounds.js';
import { figureColumns } from '../../figures.js';
import { rowsOfShared, type Window } from '../limits/windows.js';
import { rowsOfEvents } from '../shared/verdict.js';
import { losses, type LostHost } from './lost-host.js';
import type { CheckedReadings } from './readings.js';
import { faultNames, faultTitles } from './verdict.js';

const { quota } = limits.session_requests;

/** The sides of the throughput comparison: one process, and all processes. */
export const sides = ['one', 'all'] as const;
export type Side = (typeof sides)[number];

export interface ReplicasOutcome extends CheckedReadings {
  readonly version: string;
  readonly windows: readonly Window[];
  readonly lostHosts: readonly LostHost[];
  readonly runs: Runs<Side>;
}

/** Prints the report. Sets the exit code to 1 when a guarantee is broken. */
export function report(
  { version, acknowledged, late, resends, faults, events, windows, lostHosts, runs }: ReplicasOutcome,
  processes: number,
) {
  const sections: Row[][] = [
    [
      { what: 'readings acknowledged', found: acknowledged },
      { what: '  later than a newer reading of their session', found: late },
      { what: 'resends', found: resends },
      ...faultNames.map((name) => ({ what: `  ${faultTitles[name]}`, found: faults[name], allowed: 0 })),
    ],
    rowsOfEvents(events, 0),
    rowsOfShared(windows, quota),
    lostHosts.flatMap((host): Row[] => [
      { what: `readings before a process ${losses[host.loss]} while it held a lock`, found: host.acknowledged },
      {
        what: '  seconds until the other process took readings',
        found: Number((host.seconds ?? NaN).toFixed(1)),
        allowed: Infinity,
      },
      { what: '  acknowledged readings lost', found: host.lost, allowed: 0 },
    ]),
  ];
  const title = `${processes} processes on one MySQL (${version}) and one Redis`;
  printVerdict(title, sections, 'Nothing was lost, duplicated or out of order, and the limit is shared.');
  reportThroughput(runs, processes);
}

function reportThroughput(runs: Runs<Side>, processes: number): void {
  const titles: Readonly<Record<Side, string>> = { one: '1 process', all: `${processes} processes` };
  const columns = [{ title: 'ingest' }, ...figureColumns(...runTitles)];
  console.log(`${textTable(columns, [sides.map((side) => [titles[side], ...runCells(runs[side])])])}\n`);
  const ratio = middleOf(runs.all, ({ perSecond }) => perSecond) / middleOf(runs.one, ({ perSecond }) => perSecond);
  console.log(
    `${processes} processes accept ${Number.isFinite(ratio) ? ratio.toFixed(2) : '–'} × the readings per second of one process.`,
  );
  condemnFailures(sides.map((side) => runs[side]));
}
