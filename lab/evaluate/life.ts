/**
 * Measures what a person sees in life, each figure with its goal: recordings of people, everyday streams, days and weeks.
 * Runs the functions of ingest in this process. Beside the results are those of release 1.0.0, measured once. Intervals are 95 % percentile intervals over people.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { dataDefaultPath } from '../../packages/text/training/texts.js';
import { auc, intervalOverPeople } from '../../packages/tools/evaluate/figures/statistics.js';
import { markdownTable, type TableRow, textTable } from '../../packages/tools/terminal/table.js';
import { launch } from '../../testkit/launch.js';
import { readWearers } from '../../testkit/simulation/days.js';
import { readStreams } from '../../testkit/simulation/stream.js';
import { figureColumns, percent } from '../figures.js';
import {
  changesPerHour,
  claimRows,
  isRight,
  isStressedAt,
  type Lived,
  playCold,
  playDays,
  playPerson,
  readPeople,
  toPeople,
} from './support/life-play.js';
import { before, stressedBefore } from './support/life-before.js';
import { playNested } from './support/life-nested.js';
import { judgeWeeks } from './support/life-weeks.js';
import { countUnlike } from './support/life-worn.js';

type People = readonly (readonly Lived[])[];

const command = new Command('evaluate:life')
  .description('Measure first minutes, speech, recovery, confidence, days and weeks, each with its goal.')
  .option('--data <folder>', 'folder of the data files', dataDefaultPath)
  .option('--seeds <numbers...>', 'seeds of the weeks; a seed takes minutes', (it, list: number[] = []) => [
    ...list,
    Number(it),
  ])
  .option('--markdown', 'print the tables as Markdown', false)
  .action(evaluate);
void launch(command);

async function evaluate({
  data,
  seeds = [],
  markdown,
}: {
  readonly data: string;
  readonly seeds?: number[];
  readonly markdown: boolean;
}): Promise<void> {
  const read = (name: string) => readFile(join(data, name), 'utf8');
  const windows = readPeople(await read('stressid_hrv_dev.csv'));
  const speakers = readPeople(await read('speech_dev.csv'));
  const wrist = (readStreams(await read('wrist_dev.csv')) ?? []).map(toPeople);
  const sets = {
    'StressID, personal': windows.map(playPerson),
    'StressID, cold': windows.map(playCold),
    speech: speakers.map(playPerson),
    'wrist, a reading every 5 s': wrist.map(playPerson),
  };
  const wearers = readWearers(await read('wearers_dev.csv'));
  const nurses = readWearers(await read('nurses_dev.csv'));
  const print = markdown ? markdownTable : textTable;
  const columns = [{ title: 'figure' }, ...figureColumns('goal', 'version 2', 'result')];
  const recorded = [
    ...recordingRows(sets),
    ...recordingRows({ 'speech, chosen without the person': playNested(speakers) }),
  ];
  console.log(print(columns, [withBefore(recorded), withBefore(confidenceRows(sets)), claimRows()]));
  const dayColumns = [{ title: 'stressed, all minutes' }, ...figureColumns('goal', 'version 2', 'result')];
  console.log(`\n${print(dayColumns, [dayRows(wearers), dayRows(nurses), [unlikeRow(wearers)]])}`);
  const weekColumns = [{ title: 'figure' }, ...figureColumns('goal', 'result')];
  if (seeds.length > 0) console.log(`\n${print(weekColumns, [await judgeWeeks(data, seeds, 'shared')])}`);
}

function recordingRows(sets: Readonly<Record<string, People>>): TableRow[] {
  const rows = Object.entries(sets).flatMap(([name, people]) => {
    const side = (isStressor: boolean) => people.map((its) => its.filter((it) => it.isStressor === isStressor));
    const [goalAuc, goalStressed, goalRest] = goals[name] ?? ['', '', ''];
    return [
      [`${name}: AUC`, goalAuc, withInterval(people, scoreArea)],
      [`${name}: stressors stressed`, goalStressed, withInterval(side(true), shareStressed, percent)],
      [`${name}: rest stressed`, goalRest, withInterval(side(false), shareStressed, percent)],
    ];
  });
  const wrist = sets['wrist, a reading every 5 s'];
  if (!wrist) return rows;
  return [...rows, ['wrist: state changes per hour', '≤ 5.71', changesPerHour(wrist).toFixed(2)]];
}

/** AUC, stressors that are stressed, and rest that is stressed. Version 2 had 3.6 % of rest in StressID and 21.7 % on wrists. */
const goals: Readonly<Record<string, readonly [string, string, string]>> = {
  'StressID, personal': ['≥ 0.90', '', '≤ 4 %'],
  'StressID, cold': ['≥ 0.688', '', ''],
  speech: ['≥ 0.76', '≥ 33 %', '≤ 4 %'],
  'speech, chosen without the person': ['≥ 0.76', '≥ 33 %', '≤ 4 %'],
  'wrist, a reading every 5 s': ['', '', '≤ 22.7 %'],
};

function confidenceRows(sets: Readonly<Record<string, People>>): TableRow[] {
  const goalOf = (name: string) => (/cold|wrist/.test(name) ? '≥ 0.58' : '≥ 0.60');
  const rows = Object.entries(sets).map(([name, people]) => [
    `${name}: AUC of the confidence`,
    goalOf(name),
    withInterval(people, confidenceArea),
  ]);
  const calibrated = Object.entries({ pooled: Object.values(sets).flat(), ...sets }).map(([name, people]) => [
    `${name}: mean confidence and share right, per fifth`,
    name === 'pooled' ? 'within 10' : '',
    listFifths(people.flat()),
  ]);
  return [...rows, ...calibrated];
}

/** Returns the mean confidence and the share of right states of each fifth, least confident first, in percent. */
function listFifths(people: readonly Lived[]): string {
  const sorted = people
    .filter(({ isStressor }) => isStressor !== undefined)
    .sort((a, b) => a.confidence - b.confidence);
  return Array.from({ length: 5 }, (_, fifth) => {
    const its = sorted.slice((fifth * sorted.length) / 5, ((fifth + 1) * sorted.length) / 5);
    const mean = its.reduce((sum, { confidence }) => sum + confidence, 0) / its.length;
    return `${Math.round(100 * mean)}:${Math.round((100 * its.filter(isRight).length) / its.length)}`;
  }).join(' ');
}

type Wearers = ReturnType<typeof readWearers>;

function dayRows(people: Wearers): TableRow[] {
  return people.map((it) => {
    const known = stressedBefore[it.person] ?? 0;
    return [it.person, `≤ ${known + 1} %`, `${known} %`, percent(shareStressed([playDays(it)]))];
  });
}

/** Returns the share of minutes with the sentence on another wearer, over three draws of the daily change of the device. */
function unlikeRow(people: Wearers): TableRow {
  const counts = people.map((it) => [1, 2, 3].map((seed) => countUnlike(it, seed)));
  const share = (some: ReadonlyArray<(typeof counts)[number]>) => {
    const all = some.flat();
    return all.reduce((sum, it) => sum + it.named, 0) / all.reduce((sum, it) => sum + it.all, 0);
  };
  const [low, high] = intervalOverPeople(counts, share);
  const print = (value: number) => percent(value, 2);
  return [
    'own minutes said to be of another wearer, a new device per day',
    '≤ 0.3 %',
    '',
    `${print(share(counts))} (${print(low)}–${print(high)})`,
  ];
}

/** Adds the figure of version 2 to rows of a figure, a goal and a result. */
function withBefore(rows: readonly TableRow[]): TableRow[] {
  return rows.map(([figure = '', goal = '', result = '']) => [figure, goal, before[figure] ?? '', result]);
}

function withInterval(
  people: People,
  figure: (people: People) => number,
  print = (value: number) => value.toFixed(3),
): string {
  const [low, high] = intervalOverPeople(people, figure);
  return `${print(figure(people))} (${print(low)}–${print(high)})`;
}

function shareStressed(people: People): number {
  const all = people.flat();
  return all.filter(isStressedAt).length / all.length;
}

const compared = (people: People) => people.flat().filter(({ isStressor }) => isStressor !== undefined);

function scoreArea(people: People): number {
  return auc(compared(people).map(({ score, isStressor }) => ({ score, isStressor: isStressor === true })));
}

function confidenceArea(people: People): number {
  return auc(compared(people).map((it) => ({ score: it.confidence, isStressor: isRight(it) })));
}
