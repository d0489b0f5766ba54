/**
 * Measures the sentiment that the service derives from a message, with the code of the service. Trains without each
 * source once, and judges the texts of that source.
 */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { textSentiment } from '../../packages/text/settings.js';
import { loadTextModel } from '../../packages/text/model.js';
import { createTextAnalyzer } from '../../packages/text/texts.js';
import { createReadMessage, encodeModels } from '../../packages/text/training/fit.js';
import {
  fitSeverity,
  readLabeled,
  readSeverityTexts,
  type SeverityText,
} from '../../packages/text/training/severity.js';
import { dataDefaultPath, weightsFile } from '../../packages/text/training/texts.js';
import { decodeWeights } from '../../packages/text/weights.js';
import { auc } from '../../packages/tools/evaluate/statistics.js';
import { startProgress } from '../../packages/tools/terminal/progress.js';
import { textTable } from '../../packages/tools/terminal/table.js';
import type { Session } from '../../packages/score/rows/session.js';
import { advanceSession } from '../../packages/score/session.js';
import { findBand } from '../../packages/score/states.js';
import { launch } from '../../testkit/launch.js';
import { confidenceColumns, confidenceRow, judgeState, type Verdict } from '../../testkit/simulation/confidence.js';
import { labels } from '../../packages/score/signals.js';
import { stressModel } from '../../packages/score/model.js';
import { figureColumns, percent } from '../figures.js';
import { aucWithInterval, shareWithInterval } from './support/share.js';

/** SAD's ratings from which a sentence counts as severe, and up to which it does not, 0–1. About a third each. */
const SEVERE_MIN = 0.5;
const MILD_MAX = 0.3;
/** Seconds between two turns of a conversation. */
const TURN_SECONDS = 40;
const TURNS = 3;
const COST_RUNS = 20_000;
const weights = readFileSync(weightsFile);
const readMessage = createReadMessage(decodeWeights(weights).vocabulary);

/** A source that is left out of the training, and the figures of its texts. */
interface LeftOut {
  readonly name: string;
  readonly isLeftOut: (kind: string) => boolean;
  readonly print: (model: Model, texts: readonly SeverityText[], all: readonly SeverityText[]) => string;
  /** Whether its texts describe distress. Absent for texts that differ in severity. */
  readonly isStressor?: boolean;
}

/** A trained model. */
interface Model {
  readonly severityOf: (text: string) => number;
  readonly estimate: EstimateSentiment;
}

/** Returns the published sentiment of a message. Undefined for a message without a known word. */
type EstimateSentiment = (text: string) => number | undefined;

const startsWith =
  (...prefixes: string[]) =>
  (kind: string) =>
    prefixes.some((prefix) => kind.startsWith(prefix));
const calmSources: LeftOut[] = [
  ...['everyday/request', 'everyday/instruction', 'everyday/chat'].map((it) => ({
    name: it,
    isLeftOut: startsWith(it),
  })),
  // The files of these folders are kinds of text. Other kinds of the folder stay in the training.
  ...[
    ['glad', 'work', 'health', 'travel', 'friends', 'plain-day', 'letters'],
    ['neutral', 'work', 'body', 'chat', 'past'],
  ].map(([folder = '', ...kinds]) => ({
    name: `${folder}: ${kinds.join(', ')}`,
    isLeftOut: (kind: string) => kinds.some((it) => kind === `${folder}/${it}`),
  })),
  { name: 'glad, all kinds', isLeftOut: startsWith('glad/') },
].map((it) => ({ ...it, print: printCalm, isStressor: false }));
const leftOut: readonly LeftOut[] = [
  { name: 'SAD, source Inquire', isLeftOut: startsWith('sad/Inquire'), print: printRanking },
  { name: 'SAD, all sources', isLeftOut: startsWith('sad/'), print: printRanking },
  { name: 'counselor questions', isLeftOut: startsWith('counseling'), print: printConcerns, isStressor: true },
  {
    ...{ name: 'own concerns', isLeftOut: startsWith('concerns/', 'labeled/') },
    ...{ print: printConcerns, isStressor: true },
  },
  ...calmSources,
];

const command = new Command('evaluate:sentiment')
  .description('Measure the derived sentiment on texts outside of the training data.')
  .option('--data <folder>', 'folder of the data files', dataDefaultPath)
  .option('--errors', 'print the texts of severity/development with a wrong state', false)
  .action(evaluate);
void launch(command);

async function evaluate({ data, errors }: { data: string; errors: boolean }): Promise<void> {
  const texts = readSeverityTexts(data);
  const progress = startProgress(process.stderr, leftOut.length + 1, 'trainings');
  const verdicts = new Map<string, Verdict[]>();
  const rows = leftOut.map(({ name, isLeftOut, print, isStressor }) => {
    const model = train(texts.filter(({ kind }) => !isLeftOut(kind)));
    progress.advance();
    const judged = texts.filter(({ kind }) => isLeftOut(kind));
    const labelOf = ({ rating = 0 }: SeverityText) =>
      isStressor ?? (rating >= SEVERE_MIN ? true : rating <= MILD_MAX ? false : undefined);
    verdicts.set(name, judgeTexts(model, judged, labelOf));
    return [name, String(judged.length), print(model, judged, texts)];
  });
  const unseen = train(texts.filter(({ kind }) => !kind.startsWith('severity/development/')));
  progress.advance();
  progress.stop();
  console.log(textTable([{ title: 'left out' }, ...figureColumns('texts'), { title: 'figure' }], [rows]));
  console.log('Goal on posts of another platform: AUC 0.72. The data contains no such posts.');
  printConfidence(verdicts);
  printHalf('severity/development, left out', unseen, readLabeled('development'));
  printHalf('severity/evaluation, never in training', released(), readLabeled('evaluation'));
  printHalf('severity/held-out, never in training', released(), readLabeled('held-out'));
  if (errors) printErrors(unseen);
  printCost();
}

function train(texts: readonly SeverityText[]): Model {
  return toModel(encodeModels({ ...decodeWeights(weights), severity: fitSeverity(texts, readMessage) }));
}

/** Returns the model of the service. */
function released(): Model {
  return toModel(weights);
}

function toModel(bytes: Uint8Array): Model {
  const analyzer = createTextAnalyzer(loadTextModel(bytes));
  return {
    severityOf: (text) => analyzer.scoreMessage(text).severity,
    estimate: (text) => analyzer.analyze(text).sentiment,
  };
}

function printRanking(model: Model, texts: readonly SeverityText[]): string {
  const ofRating = (isIn: (rating: number) => boolean) =>
    texts.filter(({ rating }) => rating !== undefined && isIn(rating));
  const [severe, mild] = [ofRating((it) => it >= SEVERE_MIN), ofRating((it) => it <= MILD_MAX)];
  const counts = `${severe.length} rated at least ${10 * SEVERE_MIN}, ${mild.length} at most ${10 * MILD_MAX}`;
  return `AUC ${rank(model, severe, mild)} (${counts})`;
}

/** Returns the AUC of the published sentiment, and that of the log odds behind it. */
function rank({ estimate, severityOf }: Model, more: readonly SeverityText[], less: readonly SeverityText[]): string {
  const aucOf = (scoreOf: (text: string) => number) => {
    const [first, second] = [more, less].map((texts) => texts.map(({ text }) => scoreOf(text)));
    return aucWithInterval(compare(first ?? [], second ?? []), more.length, less.length);
  };
  return `published ${aucOf((text) => -(estimate(text) ?? 0))}, log odds ${aucOf(severityOf)}`;
}

function printConcerns(model: Model, texts: readonly SeverityText[], all: readonly SeverityText[]): string {
  const chat = all.filter(({ kind }) => kind === 'everyday/chat');
  const lowest = texts.filter(({ text }) => model.estimate(text) === textSentiment.sentiment_min).length;
  return `AUC against everyday/chat: ${rank(model, texts, chat)}, lowest sentiment ${percent(lowest / texts.length, 1)}`;
}

function printCalm(model: Model, texts: readonly SeverityText[]): string {
  const states = countStates(model, texts);
  const stressed = shareWithInterval(Math.round(states.stressed * texts.length), texts.length);
  const explained = texts.filter(({ text }) => givesReason(model, text)).length;
  const questions = texts.filter(({ text }) =>
    /^(how|what|why|when|where|who|which|can|could|do|does|is|are)\b/i.test(text),
  );
  const asked = questions.filter(({ text }) => givesReason(model, text)).length;
  const cells = [
    `${percent(states.relaxed, 0)} relaxed, ${percent(states.focused, 0)} focused, ${stressed} stressed`,
    `reason from words ${shareWithInterval(explained, texts.length)}`,
  ];
  if (questions.length > 0)
    cells.push(`of ${questions.length} questions ${shareWithInterval(asked, questions.length)}`);
  return cells.join(', ');
}

/** Returns true if the words of a message are strong enough for the reason of a state. */
function givesReason({ estimate }: Model, text: string): boolean {
  const evidence = labels.sentiment.weigh(estimate(text) ?? 0);
  return Math.abs(evidence) >= stressModel.reason.driver_log_odds_min;
}

function printHalf(title: string, model: Model, texts: readonly SeverityText[]): void {
  const of = (label: string) => texts.filter(({ kind }) => kind.endsWith(`/${label}`));
  const rows = ['calm', 'mild', 'distress'].map((label) => {
    const { relaxed, focused, stressed } = countStates(model, of(label));
    return [label, String(of(label).length), ...[relaxed, focused, stressed].map((it) => percent(it, 0))];
  });
  const columns = figureColumns('texts', 'relaxed', 'focused', 'stressed');
  console.log(`\n${textTable([{ title }, ...columns], [rows])}`);
  const score = (label: string) => of(label).map(({ text }) => model.severityOf(text));
  const against = (label: string) => compare(score('distress'), score(label)).toFixed(3);
  console.log(`AUC of distress: ${against('mild')} against mild, ${against('calm')} against calm`);
  const reached = (label: string) =>
    percent(
      shareOf(conversationsOf(of(label)), (it) => endsStressed(model, it)),
      0,
    );
  console.log(
    `stressed after ${TURNS} turns: ${['distress', 'mild', 'calm'].map((it) => `${it} ${reached(it)}`).join(', ')}`,
  );
}

function countStates({ estimate }: Model, texts: readonly SeverityText[]) {
  const states = texts.map(({ text }) => playTurns(estimate, [text]));
  const share = (...names: string[]) => shareOf(states, (it) => names.includes(it));
  return { relaxed: share('calm', 'relaxed'), focused: share('focused'), stressed: share('stressed', 'acute_stress') };
}

/** Returns each run of adjacent texts as a conversation. */
function conversationsOf(texts: readonly SeverityText[]): string[][] {
  return texts.slice(TURNS - 1).map((_, i) => texts.slice(i, i + TURNS).map(({ text }) => text));
}

function endsStressed({ estimate }: Model, turns: readonly string[]): boolean {
  return ['stressed', 'acute_stress'].includes(playTurns(estimate, turns));
}

/** Prints how the confidence separates right states from wrong ones: concerns with everyday texts, and SAD by severity. */
function printConfidence(verdicts: ReadonlyMap<string, readonly Verdict[]>): void {
  const of = (...names: string[]) => names.flatMap((name) => verdicts.get(name) ?? []);
  const everyday = calmSources.map(({ name }) => name).filter((name) => name.startsWith('everyday/'));
  const rows = [
    confidenceRow('SAD, severity of at least 5 or at most 3', of('SAD, all sources')),
    confidenceRow('counselor questions and chat', of('counselor questions', 'everyday/chat')),
    confidenceRow('own concerns and chat', of('own concerns', 'everyday/chat')),
    confidenceRow('own concerns and all everyday texts', of('own concerns', ...everyday)),
    confidenceRow('own concerns and glad texts', of('own concerns', 'glad, all kinds')),
    ...(['evaluation', 'held-out'] as const).map((half) =>
      confidenceRow(`severity/${half}: distress and calm`, judgeTexts(released(), readLabeled(half), labelOfKind)),
    ),
  ];
  console.log(`\n${textTable(confidenceColumns, [rows])}`);
}

function labelOfKind({ kind }: SeverityText): boolean | undefined {
  if (kind.endsWith('/mild')) return undefined;
  return kind.endsWith('/distress');
}

/** Judges the state after each text with a label. */
function judgeTexts(
  { estimate }: Model,
  texts: readonly SeverityText[],
  labelOf: (text: SeverityText) => boolean | undefined,
): Verdict[] {
  return texts.flatMap((it) => {
    const isStressor = labelOf(it);
    const { score, confidence } = playSession(estimate, [it.text])?.latest ?? { score: 0, confidence: 0 };
    return isStressor === undefined || confidence === 0
      ? []
      : [judgeState({ state: findBand(score).state, confidence }, isStressor)];
  });
}

/** Returns the state of a session after turns without other signals. */
function playTurns(estimate: EstimateSentiment, turns: readonly string[]): string {
  return findBand(playSession(estimate, turns)?.latest.score ?? 0).state;
}

function playSession(estimate: EstimateSentiment, turns: readonly string[]): Session | undefined {
  let session: Session | undefined;
  turns.forEach((text, turn) => {
    const sentiment = estimate(text);
    const reading = { atMs: 1000 * TURN_SECONDS * (turn + 1), ...(sentiment !== undefined && { sentiment }) };
    ({ session } = advanceSession(session, reading, session?.baseline));
  });
  return session;
}

function printErrors({ estimate }: Model): void {
  const expected: Readonly<Record<string, string>> = { calm: 'relaxed', mild: 'focused', distress: 'stressed' };
  for (const { text, kind } of readLabeled('development')) {
    const state = playTurns(estimate, [text]);
    const label = kind.split('/').at(-1) ?? '';
    if (state !== expected[label]) console.log(`${label.padEnd(9)} ${state.padEnd(9)} ${estimate(text)} ${text}`);
  }
}

function printCost(): void {
  const { estimate } = released();
  const message = readLabeled('development')
    .map(({ text }) => text)
    .join(' ')
    .slice(0, 250);
  const run = () => {
    for (let i = 0; i < COST_RUNS; i += 1) estimate(message);
  };
  run();
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  console.log(`\n${((user + system) / COST_RUNS).toFixed(1)} µs of processor time per message of 250 characters`);
  console.log(`${(weights.length / 2 ** 20).toFixed(2)} MB of weights of all models`);
}

/** Returns the area under the ROC curve: the share of pairs in which the stressful text has the higher score. */
function compare(stressful: readonly number[], calm: readonly number[]): number {
  const scored = (scores: readonly number[], isStressor: boolean) => scores.map((score) => ({ score, isStressor }));
  return auc([...scored(stressful, true), ...scored(calm, false)]);
}

function shareOf<T>(items: readonly T[], holds: (item: T) => boolean): number {
  return items.filter(holds).length / Math.max(1, items.length);
}
