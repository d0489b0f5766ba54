import { limits } from '../../../generated/spec.js';
import { condemnFailures, middleOf, runCells, type Runs, runTitles } from '../../bench/support/rounds.js';
import { isUpheld } from '../webhooks/verdict.js';
import { losses, type LostHost } from './lost-host.js';
import { fullOf, rangeOf, type Window, wrongOf } from '../limits/windows.js';
import { textTable } from '../../../src/terminal/table.js';
import type { CheckedReadings } from './readings.js';
import { type Side, sides } from './throughput.js';
import { faultNames, faultTitles } from './verdict.js';

const { quota } = limits.session_requests;

export interface ReplicasOutcome extends CheckedReadings {
  readonly version: string;
  readonly windows: readonly Window[];
  readonly lostHosts: readonly LostHost[];
  readonly runs: Runs<Side>;
}

type Row = readonly [what: string, count: number | string, mustBe?: number];

/** Prints the report. Sets the exit code to 1 when a guarantee is broken. */
export function report(
  { version, acknowledged, late, resends, faults, events, windows, lostHosts, runs }: ReplicasOutcome,
  processes: number,
) {
  const full = fullOf(windows);
  const sections: Row[][] = [
    [
      ['readings acknowledged', acknowledged],
      ['  later than a newer reading of their session', late],
      ['resends', resends],
      ...faultNames.map((name): Row => [`  ${faultTitles[name]}`, faults[name], 0]),
    ],
    [
      ['state changes in responses', events.acknowledged],
      ['  without a delivered event', events.lost + events.listedAsFailed, 0],
      ['events without a state change', events.invented, 0],
      ['state changes with two webhook-ids', events.renamed, 0],
      ['events whose body differs between attempts', events.altered, 0],
      ['events with an invalid signature', events.badSignatures, 0],
      ['events out of order within a session', events.outOfOrder, 0],
      ['events delivered more than once, same webhook-id', events.duplicates],
    ],
    [
      ['rate limit windows whose quota was used up', full.length],
      ['  admitted requests per window', rangeOf(full), quota],
      ['  windows that admitted more or fewer requests', wrongOf(windows, quota).length, 0],
    ],
    lostHosts.flatMap(({ loss, seconds, acknowledged, lost }): Row[] => [
      [`process ${losses[loss]} while it held a lock`, `after ${acknowledged} readings`],
      ['  seconds until the other process took readings', seconds?.toFixed(1) ?? 'never'],
      ['  acknowledged readings lost', lost, 0],
    ]),
  ];
  const columns = [
    { title: 'measure' },
    { title: 'count', align: 'right' },
    { title: 'required', align: 'right' },
  ] as const;
  const rows = sections.map((section) => section.map((row) => row.map(String)));
  console.log(`── ${processes} processes on one MySQL (${version}) and one Redis\n\n${textTable(columns, rows)}\n`);
  const isWell = faultNames.every((name) => faults[name] === 0) && isUpheld(events) && events.listedAsFailed === 0;
  const isRestored = lostHosts.every(({ seconds, lost }) => seconds !== undefined && lost === 0);
  if (isWell && isRestored && full.length > 0 && wrongOf(windows, quota).length === 0)
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
