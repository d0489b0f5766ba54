/**
 * Measures topic detection. Applies the trained model to one half of the texts for the evaluation. Then cross-validates
 * on all training texts, leaves out each group of kinds once, prints tables and draws charts.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { loadTextModel } from '../../packages/text/model.js';
import { topicExtraction as settings } from '../../packages/text/settings.js';
import {
  dataDefaultPath,
  toGroup,
  type Half,
  halves,
  readTopicLines,
  readTopicTexts,
  type TopicTexts,
  weightsFile,
} from '../../packages/text/training/texts.js';
import { startProgress } from '../../packages/tools/terminal/progress.js';
import { percent } from '../figures.js';
import { shareWithInterval } from './support/share.js';
import { crossValidate, type Finding, judgeLines, type Judgement, leaveGroupsOut } from './support/cross-validate.js';
import { drawConfusions, drawGate } from './support/draw-topics.js';
import * as figures from './support/topic-figures.js';

interface Options {
  readonly data: string;
  readonly reports: string;
  readonly seed: number;
  readonly errors?: number;
  readonly half: Half;
  readonly crossValidation: boolean;
}

const command = new Command('evaluate:topics')
  .description('Measure topic detection on texts outside of the training data, with the code of the service.')
  .option('--data <folder>', 'folder of the data files', dataDefaultPath)
  .option('--reports <folder>', 'folder for the charts', 'reports')
  .option('--seed <number>', 'seed that distributes the texts over the folds', Number, 1)
  .addOption(new Option('--half <name>', 'half of the texts for the evaluation').choices(halves).default('held-out'))
  .option('--no-cross-validation', 'print only the results of the texts for the evaluation')
  .option('--errors <number>', 'print up to this many errors per kind', Number);
const options = command.parse().opts<Options>();
const FOLDS = 5;
/** Goals: maximum share of texts with a detected topic, for kinds in the training data and for kinds left out of it. */
const goals: Readonly<Record<string, { trained: number; leftOut: number }>> = {
  request: { trained: 0.05, leftOut: 0.13 },
  instruction: { trained: 0.08, leftOut: 0.215 },
  chat: { trained: 0.05, leftOut: 0.135 },
};

/** Rows of the texts for the evaluation: kinds that count together, and the goal. */
const rows: ReadonlyArray<{ name: string; kinds: readonly string[]; goal: string }> = [
  { name: 'neutral statements about oneself', kinds: ['neutral-self'], goal: 'at most 15 %' },
  { name: 'third person, quotes, news', kinds: ['third-person-quotes', 'pasted-news'], goal: 'at most 25 %' },
  { name: 'everyday chat about oneself', kinds: ['everyday-chat'], goal: 'at most 12 %' },
  { name: 'happy moments', kinds: ['happy-moments'], goal: 'at most 15 %' },
  {
    name: 'hypothetical, code, lyrics, sarcasm',
    kinds: ['hypothetical', 'code', 'lyrics-like', 'sarcasm'],
    goal: 'at most 15 %',
  },
  { name: 'typos', kinds: ['typos'], goal: 'right at least 60 %' },
  { name: 'short grief', kinds: ['short-grief'], goal: 'right' },
  { name: 'plain concerns', kinds: ['plain-concerns'], goal: 'with a topic at least 84 %' },
];

/** Kinds of this project's texts that resemble a kind of the data files. */
const related: Readonly<Record<string, readonly string[]>> = {
  request: ['assistant-requests', 'assistant-questions', 'money-and-travel-requests', 'commands-about-feelings'],
  instruction: ['tasks-about-themes', 'pasted-text', 'coding', 'commands-about-feelings'],
  chat: ['film-and-music-talk', 'science-and-history-talk', 'sports-chat', 'hobbies', 'trivia', 'small-talk'],
};

const hasTopic = ({ topics }: Finding): boolean => topics.length > 0;
const isRight = ({ line, topics }: Finding): boolean => line.topics.some((topic) => topic === topics[0]);

const texts = readTexts();
printLines();
if (!options.crossValidation) process.exit();
const kinds = [...new Set(texts.labeled.map(({ kind }) => kind))];
const groups = [...new Set(kinds.map(toGroup))];
const progress = startProgress(process.stderr, FOLDS + groups.length, 'trainings');
const seen = crossValidate(texts, FOLDS, options.seed, () => progress.advance());
const unseen = leaveGroupsOut(texts, groups, () => progress.advance());
const unrelated = Object.keys(related).flatMap((kind) =>
  leaveGroupsOut(without(related[kind] ?? []), [kind], () => {}),
);
progress.stop();
printAreas();
printCounseling();
printKinds();
printCurve();
drawPictures();
if (options.errors !== undefined) printErrors(options.errors);

function readTexts(): TopicTexts {
  try {
    return readTopicTexts(options.data);
  } catch (error) {
    return command.error(`error: ${(error as Error).message}`);
  }
}

function without(ownKinds: readonly string[]): TopicTexts {
  const labeled = texts.labeled.filter(({ kind }) => !ownKinds.includes(kind.replace(/^own\/everyday\//, '')));
  return { ...texts, labeled };
}

/** Prints the share of the texts with a topic, and for concerns also the share with an acceptable first topic. */
function printLines(): void {
  const findings = judgeLines(loadTextModel(readFileSync(weightsFile)), readTopicLines(options.half));
  console.log(`${findings.length} texts of the half ${options.half}`);
  const width = 20;
  const columns = ['no concern', 'with topic', 'concern', 'with topic', 'right'];
  console.log(`${''.padEnd(38)} ${columns.map((it) => it.padStart(width)).join(' ')}   (95 % interval)`);
  const print = (name: string, of: readonly Finding[], goal = '') => {
    const [calm, concerns] = [false, true].map((side) => of.filter(({ line }) => line.topics.length > 0 === side));
    const cells = [...cellsOf(calm, [hasTopic]), ...cellsOf(concerns, [hasTopic, isRight])];
    if (of.length > 0) console.log(`${name.padEnd(38)} ${cells.map((it) => it.padStart(width)).join(' ')}   ${goal}`);
  };
  for (const { name, kinds, goal } of rows) {
    const ofRow = findings.filter(({ line }) => kinds.includes(line.kind));
    print(name, ofRow, goal);
    if (kinds.length > 1)
      kinds.forEach((kind) =>
        print(
          `  ${kind}`,
          ofRow.filter(({ line }) => line.kind === kind),
        ),
      );
  }
  console.log();
  if (options.errors !== undefined) printFindings(findings, options.errors);
}

function cellsOf(findings: readonly Finding[] = [], shares: ReadonlyArray<typeof hasTopic>): string[] {
  if (findings.length === 0) return ['–', ...shares.map(() => '')];
  return [
    String(findings.length),
    ...shares.map((holds) => shareWithInterval(findings.filter(holds).length, findings.length)),
  ];
}

function printFindings(findings: readonly Finding[], perKind: number): void {
  for (const kind of new Set(findings.map(({ line }) => line.kind))) {
    const wrong = findings.filter(
      (it) => it.line.kind === kind && (it.line.topics.length > 0 ? !isRight(it) : hasTopic(it)),
    );
    console.log(kind);
    for (const { line, topics, concern } of wrong.slice(0, perKind))
      console.log(`${concern.toFixed(1)} [${topics}] expected [${line.topics}] ${line.text}`);
  }
}

function printAreas(): void {
  const best = figures.scoreAreas(seen, figures.bestArea);
  const returned = figures.scoreAreas(seen, figures.returnedArea);
  console.log(`${figures.ofKind(seen, 'sad').length} stressor sentences of SAD, ${FOLDS}-fold, seed ${options.seed}`);
  console.log(`\n${'F1'.padEnd(22)} ${'best area'.padStart(10)} ${'as returned'.padStart(12)}`);
  const print = (name: string, first: number, second: number, goal = '') =>
    console.log(`${name.padEnd(22)} ${first.toFixed(3).padStart(10)} ${second.toFixed(3).padStart(12)}${goal}`);
  best.forEach(({ area, f1 }, i) => print(area, f1, returned[i]?.f1 ?? 0));
  const [macro, macroReturned] = [figures.bestArea, figures.returnedArea].map((pick) => figures.macroF1(seen, pick));
  print('macro', macro ?? 0, macroReturned ?? 0, '   goal 0.73 as returned');
  const either = [figures.bestArea, figures.returnedArea].map((pick) => figures.firstOrSecond(seen, pick));
  print('first or second label', either[0] ?? 0, either[1] ?? 0);
}

function printCounseling(): void {
  const all = figures.ofKind(seen, 'counseling');
  console.log(`\n${all.length} questions to a counselor`);
  const print = (name: string, part: number, goal: string) =>
    console.log(`${name.padEnd(44)} ${part.toFixed(3)}   ${goal}`);
  print('first topic in the labeled area', figures.inLabeledArea(all, 'first'), 'goal 0.64');
  print('labeled area among the topics', figures.inLabeledArea(all, 'any'), 'goal 0.80');
  for (const label of ['depression', 'anxiety']) {
    const labeled = all.filter(({ it }) => it.label === label);
    print(`first topic, label ${label} (${labeled.length})`, figures.inLabeledArea(labeled, 'first'), 'goal 0.55');
  }
}

function printKinds(): void {
  const ofGroup = (judgements: readonly Judgement[], group: string) =>
    judgements.filter(({ it }) => toGroup(it.kind) === group);
  const print = (group: string, isConcern: boolean) => {
    const side = (judgements: readonly Judgement[]) =>
      ofGroup(judgements, group).filter(({ it }) => it.isConcern === isConcern);
    const [inTraining, leftOut] = [side(seen), side(unseen)];
    const goal = goals[group] ? `   goals ${percent(goals[group].trained)}, ${percent(goals[group].leftOut)}` : '';
    const share = (of: readonly Judgement[]) =>
      of.length > 0
        ? shareWithInterval(of.filter((it) => figures.returnedAreas(it).length > 0).length, of.length)
        : '–';
    const strict = related[group] ? share(ofGroup(unrelated, group)) : '';
    const columns = [share(inTraining), share(leftOut), strict].map((it) => it.padStart(20)).join(' ');
    console.log(`${`${group} (${Math.max(inTraining.length, leftOut.length)})`.padEnd(44)} ${columns}${goal}`);
  };
  const sideOf = (isConcern: boolean) => [
    ...new Set(texts.labeled.filter((it) => it.isConcern === isConcern).map(({ kind }) => toGroup(kind))),
  ];
  console.log(
    `\n${'texts with a topic (95 % interval)'.padEnd(44)} ${['trained on', 'left out', 'and related'].map((it) => it.padStart(20)).join(' ')}`,
  );
  console.log('texts without a concern');
  for (const group of [...sideOf(false), 'sad, unclear']) print(group, false);
  console.log('concerns');
  for (const group of sideOf(true)) print(group, true);
}

function printCurve(): void {
  console.log(`\nconcern log odds at least (in use: ${settings.concern_log_odds_min})`);
  console.log('      false alarms  left out   recall  macro F1');
  const leftOut = figures.gateCurve(unseen, seen);
  figures.gateCurve(seen, seen).forEach(({ concernMin, falseAlarms, recall }, i) => {
    if (Math.abs(concernMin) > 2) return;
    const f1 = figures.macroF1(seen, (judgement) => figures.returnedAreas(judgement, concernMin)[0]);
    const columns = [percent(falseAlarms), percent(leftOut[i]?.falseAlarms ?? 0), percent(recall), f1.toFixed(3)];
    console.log(`${concernMin.toFixed(2).padStart(5)} ${columns.map((it) => it.padStart(10)).join('')}`);
  });
}

function drawPictures(): void {
  mkdirSync(options.reports, { recursive: true });
  const confusions = figures.countConfusions(seen, figures.returnedArea);
  const here = settings.concern_log_odds_min;
  const pictures = {
    'topics-confusion.svg': drawConfusions(confusions, 'Areas as the service returns them, five-fold cross-validation'),
    'topics-gate.svg': drawGate(figures.gateCurve(seen, seen), figures.gateCurve(unseen, seen), [
      figures.gatePoint(seen, seen, here),
      figures.gatePoint(unseen, seen, here),
    ]),
  };
  for (const [name, content] of Object.entries(pictures)) writeFileSync(join(options.reports, name), content);
  console.log(`\npictures: ${Object.keys(pictures).join(', ')} in ${options.reports}`);
}

/** Prints the errors for the left-out kinds: topics without a concern, and concerns without a topic. */
function printErrors(perKind: number): void {
  const isError = (judgement: Judgement) => figures.returnedAreas(judgement).length > 0 !== judgement.it.isConcern;
  for (const kind of kinds) {
    console.log(`\n${kind}`);
    for (const judgement of figures.ofKind(unseen, kind).filter(isError).slice(0, perKind))
      console.log(`${judgement.concern.toFixed(1)} [${figures.returnedAreas(judgement)}] ${judgement.it.text}`);
  }
}
