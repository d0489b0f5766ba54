import { labels } from '../../../packages/score/signals.js';
import { stressModel } from '../../../packages/score/model.js';
import { findBand } from '../../../packages/score/states.js';
import {
  type LabeledPart,
  readLabeled,
  readSeverityTexts,
  type SeverityText,
} from '../../../packages/text/training/severity.js';
import { auc } from '../../../packages/tools/evaluate/figures/statistics.js';
import { confidenceColumns, confidenceRow, judgeState, type Verdict } from '../../../testkit/simulation/confidence.js';
import { computeAucInterval } from '../support/share.js';
import { type LeftOut, released } from './left-out.js';
import { type Figures, shareLine, toFigures, toLine } from './lines.js';
import { findState, isStressed, playTurns } from './state.js';

/** SAD's ratings from which a sentence counts as severe, and up to which it does not, 0–1. About a third each. */
const severeMin = 0.5;
const mildMax = 0.3;
const turns = 3;

type Select = (text: SeverityText) => boolean;
const startsWith =
  (...prefixes: string[]): Select =>
  ({ kind }) =>
    prefixes.some((prefix) => kind.startsWith(prefix));
const everyday = startsWith('everyday/request', 'everyday/instruction', 'everyday/chat');
const concerns = startsWith('concerns/', 'labeled/');
const groups: ReadonlyArray<{ name: string; more: Select; less: Select }> = [
  {
    name: 'SAD, severity of at least 5 against at most 3',
    more: ({ rating }) => rating !== undefined && rating >= severeMin,
    less: ({ rating }) => rating !== undefined && rating <= mildMax,
  },
  { name: 'questions to a counselor against chat', more: startsWith('counseling'), less: startsWith('everyday/chat') },
  // The nearest to posts of distress. The data has no posts of another platform.
  { name: 'questions to a counselor against comments', more: startsWith('counseling'), less: startsWith('comments') },
  { name: 'own concerns against everyday texts', more: concerns, less: everyday },
  { name: 'own concerns against glad texts', more: concerns, less: startsWith('glad/') },
];

/** Measures how well the sentiment of one message separates distress, and the states that it gives. */
export function measureSentiment(data: string, leftOut: LeftOut, isHeldOut: boolean): Figures[] {
  const texts = readSeverityTexts(data).filter(({ kind, text }) => leftOut.has(kind, text));
  const analyzerOf = ({ kind, text }: SeverityText) => leftOut.find(kind, text);
  const logOdds = (it: SeverityText) => analyzerOf(it).scoreMessage(it.text).severity;
  const judge = (select: Select, isStressor: boolean): Verdict[] =>
    texts.filter(select).flatMap((it) => {
      const latest = playTurns(analyzerOf(it), [it.text])?.latest;
      return latest && latest.confidence > 0
        ? [judgeState({ state: findBand(latest.score).state, confidence: latest.confidence }, isStressor)]
        : [];
    });
  const ranking = toFigures('AUC of the log odds of severe distress', [
    groups.map(({ name, more, less }) => {
      const [first, second] = [more, less].map((it) => texts.filter(it));
      return aucLine(name, first?.map(logOdds) ?? [], second?.map(logOdds) ?? []);
    }),
  ]);
  const stressed = (name: string, select: Select) =>
    shareLine(`${name}: stressed`, texts.filter(select), (it) => isStressed(analyzerOf(it), it.text));
  const requests = startsWith('everyday/request');
  const states = toFigures('states after one message, texts left out', [
    [
      stressed('requests', requests),
      shareLine('  reason from words', texts.filter(requests), (it) => givesReason(leftOut, it), { max: 0.03 }),
      stressed('instructions', startsWith('everyday/instruction')),
      stressed('chat', startsWith('everyday/chat')),
      stressed('comments', startsWith('comments')),
      stressed('own: neutral', startsWith('neutral/')),
      stressed('own: glad', startsWith('glad/')),
      stressed('own: concerns', concerns),
      stressed('questions to a counselor', startsWith('counseling')),
    ],
  ]);
  const rows = groups.map(({ name, more, less }) => confidenceRow(name, [...judge(more, true), ...judge(less, false)]));
  const halves = isHeldOut
    ? (['evaluation', 'held-out', 'people-choice', 'people-final'] as const).map(measureHalf)
    : [];
  return [ranking, states, ...halves, { columns: confidenceColumns, sections: [rows] }];
}

function aucLine(name: string, more: readonly number[], less: readonly number[]) {
  const scored = [
    ...more.map((score) => ({ score, isStressor: true })),
    ...less.map((score) => ({ score, isStressor: false })),
  ];
  const value = auc(scored);
  const interval = computeAucInterval(value, more.length, less.length);
  return toLine(name, scored.length, value, interval, {}, (it) => it.toFixed(3));
}

/** Returns true if the words of a message are strong enough for the reason of a state. */
function givesReason(leftOut: LeftOut, { kind, text }: SeverityText): boolean {
  const evidence = labels.sentiment.weigh(leftOut.find(kind, text).analyze(text).sentiment ?? 0);
  return Math.abs(evidence) >= stressModel.reason.driver_log_odds_min;
}

/** Measures the states of own texts that are in no training. */
function measureHalf(half: LabeledPart): Figures {
  const analyzer = released();
  const rows = ['calm', 'mild', 'distress'].flatMap((label) => {
    const texts = readLabeled(half).filter(({ kind }) => kind.endsWith(`/${label}`));
    if (texts.length === 0) return [];
    const runs = texts.slice(turns - 1).map((_, i) => texts.slice(i, i + turns).map(({ text }) => text));
    const isAfter =
      (...states: readonly string[]) =>
      ({ text }: (typeof texts)[0]) =>
        states.includes(findState(analyzer, [text]));
    return [
      shareLine(`${label}: relaxed`, texts, isAfter('calm', 'relaxed'), {}, 0),
      shareLine(`${label}: stressed`, texts, isAfter('stressed', 'acute_stress'), {}, 0),
      shareLine(`${label}: stressed after ${turns} messages`, runs, (run) => isStressed(analyzer, ...run), {}, 0),
    ];
  });
  return toFigures(`severity/${half}, in no training`, [rows]);
}
