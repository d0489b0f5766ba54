/**
 * Measures the states of whole days. Replays the heart rate per minute of people who wear a wristband over HTTP to a
 * service in a child process, as backfilled batches. Standard output contains only the tables.
 */
import { Command } from 'commander';
import { dataDefaultPath } from '../../packages/text/training/texts.js';
import { shareOf } from '../../packages/tools/evaluate/figures/statistics.js';
import { readText } from '../../packages/tools/read-text.js';
import { withProgress } from '../../packages/tools/terminal/progress.js';
import {
  type Column,
  figureColumns,
  formatTable,
  percent,
  type TableRow,
} from '../../packages/tools/terminal/table.js';
import { launch } from '../../testkit/launch.js';
import { changesOf } from '../../testkit/simulation/everyday-claims.js';
import {
  injectRises,
  isAwake,
  isFirstDay,
  isNight,
  isRiseSeen,
  isStressed,
  type Judged,
  readWearers,
  replayWearers,
  type Wearer,
} from '../../testkit/simulation/days.js';
import { withLocalService } from './support/local-service.js';

interface Options {
  readonly file: string;
  readonly nurses: string;
  readonly people?: string;
  readonly markdown: boolean;
}

const command = new Command('evaluate:days')
  .description('Replay whole days of heart rate through the service and measure how often each state is published.')
  .option('--file <csv>', 'wearers: columns subject, local_minute, heart_rate', `${dataDefaultPath}/wearers_dev.csv`)
  .option('--nurses <csv>', 'nurses on shift: subject, utc_minute, heart_rate', `${dataDefaultPath}/nurses_dev.csv`)
  .option('--people <subjects>', 'only these people of both files, with commas between them')
  .option('--markdown', 'print the tables as Markdown', false)
  .action(evaluate);
void launch(command);

async function evaluate({ file, nurses, people, markdown }: Options): Promise<void> {
  const chosen = people?.split(',');
  const isChosen = ({ person }: { person: string }) => chosen?.includes(person) ?? true;
  const wearers = readWearers(readText(`--file ${file}`, file)).filter(isChosen);
  const onShift = readWearers(readText(`--nurses ${nurses}`, nurses)).filter(isChosen);
  if (wearers.length + onShift.length === 0) throw new Error('--people names no person in these files');
  const injected = [true, false].map((isNearMedian) => wearers.map((it) => injectRises(it, isNearMedian)));
  const raised = injected.map((its) => its.map(({ wearer }) => wearer));
  const [days, shifts, ...rises] = await replayAll([wearers, onShift, ...raised]);
  const print = (columns: readonly Column[], ...sections: TableRow[][]) => formatTable({ markdown }, columns, sections);
  const tables = [
    wearers.length > 0 &&
      print(
        wearerColumns,
        wearers.map((it, index) => wearerRow(it, days?.[index] ?? [])),
      ),
    wearers.length > 0 && print(riseColumns, ...riseRows(wearers, injected, rises)),
    onShift.length > 0 &&
      print(
        shiftColumns,
        onShift.map((it, index) => shiftRow(it, shifts?.[index] ?? [])),
      ),
  ];
  console.log(tables.filter(Boolean).join('\n\n'));
}

/** Replays each group of people with sessions and subjects of its own. Returns the responses per group and person. */
function replayAll(groups: readonly (readonly Wearer[])[]): Promise<Judged[][][]> {
  const total = groups.flat().reduce((sum, { minutes }) => sum + minutes.length, 0);
  return withLocalService((service) =>
    withProgress(total, 'minutes', async ({ advance }) => {
      const replays: Judged[][][] = [];
      for (const [index, group] of groups.entries())
        replays.push(await replayWearers(service, group, `run-${index}`, advance));
      return replays;
    }),
  );
}

const wearerColumns = [
  { title: 'wearer' },
  ...figureColumns('days', 'first minute', 'awake: stressed', 'focused', 'awake, first day: stressed'),
  ...figureColumns('nights: stressed', 'calm', 'state changes per hour'),
];

/** Returns the row of one person. "Awake" is after the first day, unless the column says otherwise. */
function wearerRow({ person, minutes }: Wearer, judged: readonly Judged[]): TableRow {
  const awake = judged.filter(({ atMs }) => isAwake(atMs));
  const [first, later] = [true, false].map((isFirst) => awake.filter((it) => isFirstDay(minutes, it.atMs) === isFirst));
  const nights = judged.filter(({ atMs }) => isNight(atMs));
  const days = new Set(minutes.map(({ atMs }) => new Date(atMs).toISOString().slice(0, 10))).size;
  return [
    person,
    String(days),
    new Date(minutes[0]?.atMs ?? 0).toISOString().slice(11, 16),
    share(later, isStressed),
    share(later, ({ state }) => state === 'focused'),
    share(first, isStressed),
    share(nights, isStressed),
    share(nights, ({ state }) => state === 'calm'),
    ((60 * changesOf(judged)) / minutes.length).toFixed(1),
  ];
}

const nearMedian = 'steady, near the median of the day';
const steadiest = 'steadiest of the day';

const riseColumns = [
  { title: 'wearer: 25 bpm more for 20 min, stressed within 10 min' },
  ...figureColumns('rises', nearMedian, steadiest),
];

/** `injected` and `replays` have one entry per kind of minutes. */
function riseRows(
  wearers: readonly Wearer[],
  injected: ReadonlyArray<ReadonlyArray<{ readonly starts: number[] }>>,
  replays: readonly Judged[][][],
): TableRow[][] {
  const seen = wearers.map((_, person) =>
    injected.map((its, kind) => {
      const judged = replays[kind]?.[person] ?? [];
      return (its[person]?.starts ?? []).map((start) => isRiseSeen(judged, start));
    }),
  );
  const row = (name: string, kinds: readonly (readonly boolean[])[]) => [
    name,
    String(kinds[0]?.length),
    ...kinds.map((its) => share(its, Boolean)),
  ];
  const all = injected.map((_, kind) => seen.flatMap((kinds) => kinds[kind] ?? []));
  return [seen.map((kinds, person) => row(wearers[person]?.person ?? '', kinds)), [row('all', all)]];
}

const shiftColumns = [{ title: 'nurse on shift' }, ...figureColumns('hours', 'stressed', 'focused')];

function shiftRow({ person, minutes }: Wearer, judged: readonly Judged[]): TableRow {
  const hours = (minutes.length / 60).toFixed(0);
  return [person, hours, share(judged, isStressed), share(judged, ({ state }) => state === 'focused')];
}

function share<Item>(items: readonly Item[] | undefined, has: (item: Item) => boolean): string {
  return !items || items.length === 0 ? '' : percent(shareOf(items, has), 0);
}
