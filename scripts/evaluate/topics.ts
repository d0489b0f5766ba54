/**
 * Measures topic detection. Cross-validates on all texts, leaves out each kind of text once, prints tables and draws
 * charts.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { topicExtraction as settings } from '../../generated/spec.js';
import { startProgress } from '../../src/terminal/progress.js';
import { crossValidate, type Judgement, leaveKindsOut } from '../topics/cross-validate.js';
import { drawConfusions, drawGate } from '../topics/draw.js';
import * as figures from '../topics/figures.js';
import { dataDefaultPath, heldBackPrefix, readTopicTexts, type TopicTexts } from '../topics/texts.js';

interface Options {
  readonly data: string;
  readonly reports: string;
  readonly seed: number;
  readonly errors?: number;
}

const command = new Command('evaluate:topics')
  .description('Measure topic detection on texts outside of the training data, with the code of the service.')
  .option('--data <folder>', 'folder of the data files', dataDefaultPath)
  .option('--reports <folder>', 'folder for the charts', 'reports')
  .option('--seed <number>', 'seed that distributes the texts over the folds', Number, 1)
  .option('--errors <number>', 'print up to this many errors per kind', Number);
const options = command.parse().opts<Options>();
const FOLDS = 5;
/** Goals: maximum share of texts with a detected topic, for kinds in the training data and for kinds left out of it. */
const goals: Readonly<Record<string, { trained: number; leftOut: number }>> = {
  request: { trained: 0.05, leftOut: 0.13 },
  instruction: { trained: 0.08, leftOut: 0.215 },
  chat: { trained: 0.05, leftOut: 0.135 },
};

/** Kinds of this project's texts that resemble a kind of the data files. */
const related: Readonly<Record<string, readonly string[]>> = {
  request: ['assistant-requests', 'assistant-questions', 'money-and-travel-requests', 'commands-about-feelings'],
  instruction: ['tasks-about-themes', 'pasted-text', 'coding', 'commands-about-feelings'],
  chat: ['film-and-music-talk', 'science-and-history-talk', 'sports-chat', 'hobbies', 'trivia', 'small-talk'],
};

const texts = readTexts();
const kinds = [...new Set(texts.labeled.map(({ kind }) => kind))];
const progress = startProgress(process.stderr, FOLDS + kinds.length, 'trainings');
const seen = crossValidate(texts, FOLDS, options.seed, () => progress.advance());
const unseen = leaveKindsOut(texts, kinds, () => progress.advance());
const unrelated = Object.keys(related).flatMap((kind) => leaveKindsOut(without(related[kind] ?? []), [kind], () => {}));
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
  const labeled = texts.labeled.filter(({ kind }) => !ownKinds.includes(kind.replace(/^own\//, '')));
  return { ...texts, labeled };
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
  const print = (kind: string) => {
    const [inTraining, leftOut] = [figures.ofKind(seen, kind), figures.ofKind(unseen, kind)];
    const goal = goals[kind] ? `   goals ${percent(goals[kind].trained)}, ${percent(goals[kind].leftOut)}` : '';
    const first = inTraining.length > 0 ? percent(figures.withTopic(inTraining)) : '–';
    const count = `(${Math.max(inTraining.length, leftOut.length)})`;
    const strict = related[kind] ? percent(figures.withTopic(figures.ofKind(unrelated, kind))) : '';
    const columns = [first, percent(figures.withTopic(leftOut)), strict].map((it) => it.padStart(10));
    console.log(`${`${kind} ${count}`.padEnd(44)} ${columns.join(' ')}${goal}`);
  };
  const isConcern = (kind: string) => unseen.some(({ it }) => it.kind === kind && it.isConcern);
  console.log(
    `\n${'texts with a topic'.padEnd(44)} ${'trained on'.padStart(10)} ${'left out'.padStart(10)} ${'and related'.padStart(10)}`,
  );
  console.log('texts without a concern');
  kinds.filter((kind) => !isConcern(kind)).forEach(print);
  print('sad, unclear');
  console.log('concerns');
  kinds.filter(isConcern).forEach(print);
  const heldBack = (side: boolean) =>
    unseen.filter(({ it }) => it.kind.startsWith(heldBackPrefix) && it.isConcern === side);
  console.log(`all held back, without a concern: ${percent(figures.withTopic(heldBack(false)))}`);
  console.log(`all held back, concerns: ${percent(figures.withTopic(heldBack(true)))}`);
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

function percent(part: number): string {
  return `${(100 * part).toFixed(1)} %`;
}
