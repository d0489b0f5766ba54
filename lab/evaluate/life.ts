/**
 * Measures what a person sees in life, each figure with its goal: recordings of people, everyday streams, days, scenes and weeks.
 * Runs the functions of ingest in this process. Beside the results are those of release 1.0.0, measured once. Intervals are 95 % percentile intervals over people.
 */
import { Command } from 'commander';
import { dataDefaultPath } from '../../packages/text/training/texts.js';
import { measure, toScore } from '../../packages/tools/evaluate/figures/figures.js';
import {
  type Estimate,
  estimate,
  mean,
  printEstimate,
  quotient,
  shareOf,
} from '../../packages/tools/evaluate/figures/statistics.js';
import { tasks } from '../../packages/tools/evaluate/protocol/tasks.js';
import { readWearers, type Wearer } from '../../packages/tools/evaluate/protocol/wearers.js';
import { readFrom } from '../../packages/tools/read-text.js';
import { figureColumns, formatTable, percent, type TableRow } from '../../packages/tools/terminal/table.js';
import { launch } from '../../testkit/launch.js';
import { computeConfidenceArea, judgeState, type Verdict } from '../../testkit/simulation/confidence.js';
import { figuresOf, sumFigures } from '../../testkit/simulation/stream.js';
import { seeds } from '../options.js';
import { before, stressedBefore } from './support/life-before.js';
import { playNested } from './support/life-nested.js';
import { claimRows, groupPeople, type Lived, playCold, playDays, playPerson } from './support/life-play.js';
import { sceneRows } from './support/life-scenes.js';
import { judgeWeeks } from './support/life-weeks.js';
import { countUnlike } from './support/life-worn.js';

type People = readonly (readonly Lived[])[];

interface Options {
  readonly data: string;
  readonly seeds?: readonly number[];
  readonly markdown: boolean;
}

const wrist = 'wrist, a reading every 5 s';

/** AUC, stressors that are stressed, and rest that is stressed. Version 2 had 3.6 % of rest in StressID and 21.7 % on wrists. */
const goals: Readonly<Record<string, readonly [string, string, string]>> = {
  'StressID, personal': ['≥ 0.90', '', '≤ 4 %'],
  'StressID, cold': ['≥ 0.688', '', ''],
  speech: ['≥ 0.76', '≥ 33 %', '≤ 4 %'],
  'speech, chosen without the person': ['≥ 0.76', '≥ 33 %', '≤ 4 %'],
  [wrist]: ['', '', '≤ 22.7 %'],
};

const command = new Command('evaluate:life')
  .description('Measure first minutes, speech, recovery, confidence, days and weeks, each with its goal.')
  .option('--data <folder>', 'folder of the data files', dataDefaultPath)
  .option('--seeds <numbers...>', 'seeds of the weeks; a seed takes minutes', seeds)
  .option('--markdown', 'print the tables as Markdown', false)
  .action(evaluate);
void launch(command);

async function evaluate({ data, seeds = [], markdown }: Options): Promise<void> {
  const read = readFrom(data);
  const peopleOf = (task: 'stressid' | 'speech' | 'stress-predict') => groupPeople(tasks[task].load(read).rows);
  const [windows, speakers] = [peopleOf('stressid'), peopleOf('speech')];
  const sets = {
    'StressID, personal': windows.map(playPerson),
    'StressID, cold': windows.map(playCold),
    speech: speakers.map(playPerson),
    [wrist]: peopleOf('stress-predict').map(playPerson),
  };
  const print = (titles: readonly string[], ...sections: TableRow[][]) =>
    formatTable({ markdown }, [{ title: titles[0] ?? '' }, ...figureColumns(...titles.slice(1))], sections);
  const recorded = [
    ...recordingRows(sets),
    ...recordingRows({ 'speech, chosen without the person': playNested(speakers) }),
  ];
  const columns = ['goal', 'version 2', 'result'];
  console.log(print(['figure', ...columns], withBefore(recorded), withBefore(confidenceRows(sets)), claimRows()));
  const [wearers, nurses] = ['wearers_dev.csv', 'nurses_dev.csv'].map((it) => readWearers(read(it)));
  const days = [wearers, nurses].map((it = []) => it.map(dayRow));
  console.log(`\n${print(['stressed, all minutes', ...columns], ...days, [unlikeRow(wearers ?? [])])}`);
  const scenes = ['scene: minutes that are stressed', 'right', 'before', 'result', 'wrong or seen', 'likely'];
  console.log(`\n${print(scenes, sceneRows(wearers ?? []))}`);
  if (seeds.length > 0)
    console.log(`\n${print(['figure', 'goal', 'result'], await judgeWeeks(data, undefined, seeds, 'heart'))}`);
}

function recordingRows(sets: Readonly<Record<string, People>>): TableRow[] {
  return Object.entries(sets).flatMap(([name, people]) => {
    const lived = people.flat();
    // Each row is compared alone.
    const rows = lived.map(({ row }) => ({ ...row, unit: row.id }));
    const figures = measure(rows, new Map(lived.map((it) => [it.row.id, it])));
    const [goalAuc = '', goalStressed = '', goalRest = ''] = goals[name] ?? [];
    return [
      [`${name}: AUC`, goalAuc, printArea(figures.auc)],
      [`${name}: stressors stressed`, goalStressed, printEstimate(figures.stress_called_stressed, percent)],
      [`${name}: rest stressed`, goalRest, printEstimate(figures.rest_called_stressed, percent)],
      ...(name === wrist ? [['wrist: state changes per hour', '≤ 5.71', countChanges(people)]] : []),
    ];
  });
}

function countChanges(people: People): string {
  const responses = people.map((its) => its.map(({ row, state }) => ({ second: row.window.second ?? 0, state })));
  const { changes, hours } = sumFigures(responses.map(figuresOf));
  return (changes / hours).toFixed(2);
}

function confidenceRows(sets: Readonly<Record<string, People>>): TableRow[] {
  const goalOf = (name: string) => (/cold|wrist/.test(name) ? '≥ 0.58' : '≥ 0.60');
  const judged = Object.entries(sets).map(([name, people]) => [name, people.map(judgeStates)] as const);
  const rows = judged.map(([name, people]) => [
    `${name}: AUC of the confidence`,
    goalOf(name),
    printArea(estimate(people, (its) => computeConfidenceArea(its.flat()))),
  ]);
  const pooled = judged.flatMap(([, people]) => people);
  const calibrated = [['pooled', pooled] as const, ...judged].map(([name, people]) => [
    `${name}: mean confidence and share right, per fifth`,
    name === 'pooled' ? 'within 10' : '',
    listFifths(people.flat()),
  ]);
  return [...rows, ...calibrated];
}

function judgeStates(lived: readonly Lived[]): Verdict[] {
  return lived.flatMap((it) => (it.row.side ? [judgeState(it, it.row.side === 'stressor')] : []));
}

/** Returns the mean confidence and the share of right states of each fifth, least confident first, in percent. */
function listFifths(verdicts: readonly Verdict[]): string {
  const sorted = [...verdicts].sort((a, b) => a.confidence - b.confidence);
  return Array.from({ length: 5 }, (_, fifth) => {
    const its = sorted.slice((fifth * sorted.length) / 5, ((fifth + 1) * sorted.length) / 5);
    const right = shareOf(its, ({ isRight }) => isRight);
    return `${Math.round(100 * mean(its.map(({ confidence }) => confidence)))}:${Math.round(100 * right)}`;
  }).join(' ');
}

function dayRow(wearer: Wearer): TableRow {
  const known = stressedBefore[wearer.person] ?? 0;
  const stressed = shareOf(playDays(wearer), (score) => toScore(score).isStressed);
  return [wearer.person, `≤ ${known + 1} %`, `${known} %`, percent(stressed)];
}

/** Returns the share of minutes with the sentence on another wearer, over three draws of the daily change of the device. */
function unlikeRow(people: readonly Wearer[]): TableRow {
  const counts = people.map((it) => [1, 2, 3].map((seed) => countUnlike(it, seed)));
  const share = estimate(counts, (some) => quotient(some.flat()));
  const title = 'own minutes said to be of another wearer, a new device per day';
  return [title, '≤ 0.3 %', '', printEstimate(share, (value) => percent(value, 2))];
}

/** Adds the figure of version 2 to rows of a figure, a goal and a result. */
function withBefore(rows: readonly TableRow[]): TableRow[] {
  return rows.map(([figure = '', goal = '', result = '']) => [figure, goal, before[figure] ?? '', result]);
}

function printArea(area: Estimate): string {
  return printEstimate(area, (value) => value.toFixed(3));
}
