import { limits } from '../../../generated/spec.js';
import { condemnFailures, middleOf, runCells, type Runs, runTitles } from '../../bench/support/rounds.js';
import { isUpheld } from '../webhooks/verdict.js';
import { fullOf, rangeOf, type Window, wrongOf } from '../limits/windows.js';
import { textTable } from '../../terminal/table.js';
import type { CheckedReadings } from './readings.js';
import { type Side, sides } from './throughput.js';
import { faultNames, faultTitles } from './verdict.js';

const { quota } = limits.session_requests;

export interface ReplicasOutcome extends CheckedReadings {
  readonly version: string;
  readonly windows: readonly Window[];
  readonly runs: Runs<Side>;
}

type Row = readonly [what: string, count: number | string, mustBe?: number];

/** Prints the report; sets the exit code to 1 when a guarantee is broken. */
export function report(
  { version, acknowledged, late, resends, faults, events, windows, runs }: ReplicasOutcome,
  processes: number,
) {
  const full = fullOf(windows);
  const sections: Row[][] = [
    [
      ['readings acknowledged', acknowledged],
      ['  after a later one of their session', late],
      ['sent again, at once or later', resends],
      ...faultNames.map((name): Row => [`  ${faultTitles[name]}`, faults[name], 0]),
    ],
    [
      ['changes of state answered', events.acknowledged],
      ['  their events lost, or not delivered', events.lost + events.listedAsFailed, 0],
      ['events of no such change', events.invented, 0],
      ['changes under two webhook-ids', events.renamed, 0],
      ['events with other bytes later', events.altered, 0],
      ['bad signatures', events.badSignatures, 0],
      ['out of order within a session', events.outOfOrder, 0],
      ['delivered more than once, same webhook-id', events.duplicates],
    ],
    [
      ['windows of a session that met their end', full.length],
      [`  requests that each let through`, rangeOf(full), quota],
      ['  windows that let more or fewer through', wrongOf(windows, quota).length, 0],
    ],
  ];
  const columns = [
    { title: 'measure' },
    { title: 'count', align: 'right' },
    { title: 'required', align: 'right' },
  ] as const;
  const rows = sections.map((section) => section.map((row) => row.map(String)));
  console.log(`── ${processes} processes on one MySQL (${version}) and one Redis\n\n${textTable(columns, rows)}\n`);
  const isWell = faultNames.every((name) => faults[name] === 0) && isUpheld(events) && events.listedAsFailed === 0;
  if (isWell && full.length > 0 && wrongOf(windows, quota).length === 0)
    console.log('Nothing was lost, duplicated or out of order, and the limit is shared.\n');
  else {
    console.log('A guarantee is broken.\n');
    process.exitCode = 1;
  }
  reportThroughput(runs, processes);
}

function reportThroughput(runs: Runs<Side>, processes: number): void {
  const titles: Readonly<Record<Side, string>> = { one: '1 process', all: `${processes} processes` };
  const columns = [{ title: 'ingest' }, ...runTitles.map((title) => ({ title, align: 'right' }) as const)];
  console.log(`${textTable(columns, [sides.map((side) => [titles[side], ...runCells(runs[side])])])}\n`);
  const ratio = middleOf(runs.all, ({ perSecond }) => perSecond) / middleOf(runs.one, ({ perSecond }) => perSecond);
  console.log(
    `${processes} processes take ${Number.isFinite(ratio) ? ratio.toFixed(2) : '–'} of what one takes in a second.`,
  );
  condemnFailures(sides.map((side) => runs[side]));
}
