/** How well the topics are told: cross-validates the extractor on SAD, prints the tables and draws the pictures. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { topicExtraction as settings } from '../generated/spec.js';
import { crossValidate, type Judgement } from './topics/cross-validate.js';
import { drawConfusions, drawRefusal } from './topics/draw.js';
import * as figures from './topics/figures.js';
import { startProgress } from './terminal/progress.js';
import { stepsMax } from './topics/fit.js';
import { isJudged, isWithoutArea, readSad, sadDefaultPath, type SadRow } from './topics/sad.js';

interface Wish {
  readonly data: string;
  readonly reports: string;
  readonly seed: number;
}

const command = new Command('evaluate:topics')
  .description('Cross-validate the topic extractor on SAD, through the extractor that the service uses.')
  .option('--data <csv>', 'the SAD rows', sadDefaultPath)
  .option('--reports <folder>', 'where the pictures go', 'reports')
  .option('--seed <number>', 'deals the rows to the folds', Number, 1);
const values = command.parse().opts<Wish>();
const FOLDS = 5;
/** What the product asks of itself. */
const goal = { macroF1: 0.73, topOrSecond: 0.86, withRefusal: { macroF1: 0.69, falseAlarms: 0.2 } };

const rows = readRows();
const progress = startProgress(process.stderr, FOLDS * stepsMax, 'steps');
const judgements = crossValidate(rows, FOLDS, values.seed, () => progress.advance());
progress.stop();
const curve = figures.refusalCurve(judgements);
const service = {
  macroF1: figures.macroF1(judgements, figures.answeredArea),
  falseAlarms: figures.falseAlarms(judgements, figures.answeredArea),
};
printAreas();
printOverall();
printAlarms();
printCurve();
mkdirSync(values.reports, { recursive: true });
const confusions = figures.countConfusions(judgements, figures.answeredArea);
writeFileSync(
  join(values.reports, 'topics-confusion.svg'),
  drawConfusions(confusions, 'Areas as the service answers, five-fold cross-validation'),
);
writeFileSync(join(values.reports, 'topics-refusal.svg'), drawRefusal(curve, service, goal.withRefusal));
console.log(
  `\nreports: ${join(values.reports, 'topics-confusion.svg')}, ${join(values.reports, 'topics-refusal.svg')}`,
);

function readRows(): SadRow[] {
  try {
    return readSad(values.data);
  } catch (error) {
    return command.error(`error: ${(error as Error).message}`);
  }
}

function printAreas(): void {
  const without = figures.scoreAreas(judgements, figures.bestArea);
  const answered = figures.scoreAreas(judgements, figures.answeredArea);
  console.log(
    `${judgements.filter(({ row }) => isJudged(row)).length} stressor sentences of the eight areas, ${FOLDS}-fold, seed ${values.seed}`,
  );
  console.log(`\n${'F1'.padEnd(22)} no refusal   as answered`);
  without.forEach(({ area, f1 }, i) =>
    console.log(`${area.padEnd(22)} ${f1.toFixed(3).padStart(10)} ${(answered[i]?.f1 ?? 0).toFixed(3).padStart(13)}`),
  );
}

function printOverall(): void {
  const macro = figures.macroF1(judgements, figures.bestArea);
  const either = figures.topOrSecond(judgements, figures.bestArea);
  console.log(
    `${'macro'.padEnd(22)} ${macro.toFixed(3).padStart(10)} ${service.macroF1.toFixed(3).padStart(13)}   goals ${goal.macroF1}, ${goal.withRefusal.macroF1}`,
  );
  const eitherAnswered = figures.topOrSecond(judgements, figures.answeredArea);
  console.log(
    `${'first or second label'.padEnd(22)} ${either.toFixed(3).padStart(10)} ${eitherAnswered.toFixed(3).padStart(13)}   goal ${goal.topOrSecond}`,
  );
}

function printAlarms(): void {
  const groups: [string, (judgement: Judgement) => boolean][] = [
    ['rows without any area', ({ row }) => isWithoutArea(row)],
    ['all non-stressors (most carry an area)', ({ row }) => !row.isStressor],
    ['popbots_live, stressors', ({ row }) => row.source === 'popbots_live' && row.isStressor],
    ['popbots_live, non-stressors', ({ row }) => row.source === 'popbots_live' && !row.isStressor],
    ['popbots_live, without any area', ({ row }) => row.source === 'popbots_live' && isWithoutArea(row)],
  ];
  console.log('\nturns that yield a topic');
  for (const [name, belongs] of groups) {
    const group = judgements.filter(belongs);
    const part = figures.partOf(group, ({ answered }) => answered.length > 0);
    console.log(
      `${name.padEnd(40)} ${(100 * part).toFixed(1).padStart(5)} % of ${group.length}${name.startsWith('rows') ? `   goal ≤ ${100 * goal.withRefusal.falseAlarms} %` : ''}`,
    );
  }
}

function printCurve(): void {
  console.log(
    `\nrefusal: share at least   macro F1   false alarms   answered      (in use: ${settings.area_share_min})`,
  );
  for (const { shareMin, macroF1, falseAlarms, answered } of curve) {
    console.log(
      `${shareMin.toFixed(2).padStart(23)} ${macroF1.toFixed(3).padStart(10)} ${(100 * falseAlarms).toFixed(1).padStart(12)} % ${(100 * answered).toFixed(1).padStart(8)} %`,
    );
  }
}
