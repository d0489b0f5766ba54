import { join } from 'node:path';
import {
  computeDangerLogOdds,
  dangerKinds,
  findExplicit,
  keepStatements,
  type SafetyKind,
} from '../../../packages/text/safety.js';
import { safetyFinding as settings } from '../../../packages/text/settings.js';
import { readRecords } from '../../../packages/text/training/sad.js';
import {
  readExplicit,
  readLabeled,
  readSafetyTexts,
  type SafetyText,
  toDanger,
  voicesByAuthor,
} from '../../../packages/text/training/safety.js';
import { readOwnTexts } from '../../../packages/text/training/severity.js';
import { groupBy } from '../../../packages/tools/group-by.js';
import { figureColumns, type TableRow } from '../../../packages/tools/terminal/table.js';
import { shareWithInterval } from '../support/share.js';
import { type Analyzer, findFold, type LeftOut, released } from './left-out.js';
import { type Figures, shareLine, toFigures } from './lines.js';

/** A text with what the detector found. */
interface Judged extends SafetyText {
  readonly found: SafetyKind | undefined;
  /** Log odds of any danger. Infinite for a finding by a pattern or another rule. */
  readonly logOdds: number;
}

type Scored = Pick<Judged, 'logOdds'>;

const rates = [0.01, 0.02, 0.04];
/** Questions to a counselor that describe a danger to their writer, by the labels of this project. They are in no training of safety. */
const counselorDangers = [17, 28, 67, 74, 107, 222, 282, 452, 620, 639, 753];
const heldOut = [
  ...['veteran', 'carer', 'student', 'night-worker'].map((it) => `held-out-voices/${it}`),
  ...['held-out', 'evaluation'],
];
const everyday = ['everyday/request', 'everyday/instruction', 'everyday/chat'];

/** Measures the share of dangers found at fixed rates of false alarms per source, and at the threshold in use. */
export function measureSafety(data: string, leftOut: LeftOut, isHeldOut: boolean): Figures[] {
  const judged = readSafetyTexts(data)
    .filter(({ source, text }) => findFold(source, text) !== undefined)
    .map((it) => judge(leftOut.find(it.source, it.text), it));
  const of = (...sources: string[]) =>
    judged.filter(({ source }) => sources.some((it) => source === it || source.startsWith(`${it}/`)));
  const voices = of('voices');
  const dangers = voices.filter(isDanger);
  const counselor = readRecords(join(data, 'concerns_dev.csv'), ['id', 'text']).map(({ id, text = '' }) =>
    judge(leftOut.find('counseling', text), {
      ...{ text, source: 'counseling' },
      danger: counselorDangers.includes(Number(id)) ? 'suicidal_thoughts' : 'none',
    }),
  );
  const authors = voicesByAuthor.map((own, i) =>
    rateRow(`author ${i + 1} (${own[0]}, ${own[1]}…)`, of(...own.map((voice) => `voices/${voice}`))),
  );
  const analyzer = released();
  const judgeReleased = (it: SafetyText) => judge(analyzer, it);
  const hidden = isHeldOut
    ? heldOut.flatMap((source) => readLabeled(`safety/${source}`, source)).map(judgeReleased)
    : [];
  const isVoice = ({ source }: Judged) => source.startsWith('held-out-voices/');
  const bySource = groupBy(hidden, ({ source }) => source);
  const sameSource = toRates('dangers against texts of the same source', [
    [...authors, rateRow('all authors', voices), rateRow('questions to a counselor', counselor)],
    isHeldOut
      ? [
          rateRow('held-out voices, all', hidden.filter(isVoice)),
          ...heldOut.map((it) => rateRow(it, bySource.get(it) ?? [])),
        ]
      : [],
  ]);
  const others: Array<[string, string[]]> = [
    ['requests, instructions, film chat', everyday],
    ['comments of a forum', ['comments']],
    ['SAD, short stressors', ['sad']],
    ['own texts: glad, neutral, others', ['glad', 'neutral', 'others']],
    ['own texts: concerns', ['concerns', 'labeled']],
  ];
  const otherSources = toRates('dangers of all authors, against other texts', [
    others.map(([name, sources]) => rateRow(name, [...of(...sources), ...dangers])),
  ]);
  const lookAlikes = voices.filter((it) => !isDanger(it));
  const unpunctuated = dangers.map((it) =>
    judge(leftOut.find(it.source, it.text), { ...it, text: dropPunctuation(it.text) }),
  );
  const explicit = isHeldOut ? readExplicit('held-out').map(judgeReleased) : [];
  const inUse = toFigures('safety at the threshold in use', [
    [
      shareLine('dangers found at 4 % of look-alikes (not in use)', dangers, findThreshold(lookAlikes, 0.04), {
        min: 0.65,
      }),
      ...[everyday, ...everyday.map((it) => [it])].map((sources) =>
        shareLine(`false danger: ${sources.join(', ')}`, of(...sources), isFound, { max: 0.002 }, 2),
      ),
      shareLine('false danger: look-alikes', lookAlikes, isFound, { max: 0.04 }),
      shareLine('threats by the writer, with a finding', judgeThreats(leftOut), isFound),
    ],
    [
      shareLine('dangers found', dangers, isFound),
      ...dangerKinds.map((kind) =>
        shareLine(
          `  ${kind}`,
          dangers.filter(({ danger }) => danger === kind),
          isFound,
        ),
      ),
      shareLine('  of the right kind', dangers, ({ found, danger }) => found === danger),
      shareLine('  without punctuation', unpunctuated, isFound),
      ...(isHeldOut ? [shareLine('explicit statements, the half of no choice', explicit, isFound, { min: 0.97 })] : []),
    ],
  ]);
  return [sameSource, otherSources, inUse];
}

const isDanger = ({ danger }: SafetyText) => danger !== 'none';
const isFound = ({ found }: Pick<Judged, 'found'>) => found !== undefined;

/** Judges the texts in which the writer threatens somebody else. */
function judgeThreats({ find }: LeftOut): Array<Pick<Judged, 'found'>> {
  return voicesByAuthor.flat().flatMap((voice) =>
    readOwnTexts(`safety/voices/${voice}`)
      .filter(({ kind }) => toDanger(kind) === undefined)
      .map(({ text }) => ({ found: find(`voices/${voice}`, text).analyze(text).check.danger })),
  );
}

export function judge(analyzer: Analyzer, it: SafetyText): Judged {
  const found = analyzer.analyze(it.text).check.danger;
  const computeLogOdds = (text: string) => computeDangerLogOdds(analyzer.scoreMessage(text).safety);
  // A finding must be one without the quotes and denials, too.
  const logOdds = Math.min(computeLogOdds(it.text), computeLogOdds(keepStatements(it.text)));
  const isByRule = found && (logOdds < settings.log_odds_min || findExplicit(it.text) !== undefined);
  return { ...it, found, logOdds: isByRule ? Infinity : logOdds };
}

/** Returns a text as it is typed on a phone. */
function dropPunctuation(text: string): string {
  return text.toLowerCase().replace(/[.,;:!?'’"“”()–—-]+/g, (marks) => (/^['’]$/.test(marks) ? '' : ' '));
}

/**
 * Returns a function that tells whether a danger is found with the threshold at which exactly `rate` of the other texts are
 * false alarms. Between two texts, it is the mean of both thresholds, weighted.
 */
export function findThreshold(others: readonly Scored[], rate: number): (danger: Scored) => number {
  const sorted = others.map(({ logOdds }) => logOdds).sort((a, b) => b - a);
  const [count, weight] = [Math.floor(rate * sorted.length), (rate * sorted.length) % 1];
  const isAbove = ({ logOdds }: Scored, k: number) => Number(logOdds > (sorted[k] ?? -Infinity));
  return (danger) => (1 - weight) * isAbove(danger, count) + weight * isAbove(danger, count + 1);
}

/** Returns what is found at each rate of false alarms, and at the threshold in use. */
function rateRow(name: string, judged: readonly Judged[]): TableRow {
  const [dangers = [], others = []] = [true, false].map((side) => judged.filter((it) => isDanger(it) === side));
  return [
    name,
    ...[dangers, others].map((it) => String(it.length)),
    ...rates.map((rate) => {
      const isAbove = findThreshold(others, rate);
      const found = dangers.reduce((sum, it) => sum + isAbove(it), 0);
      return shareWithInterval(found, dangers.length);
    }),
    ...[dangers, others].map((it) => shareWithInterval(it.filter(isFound).length, it.length)),
  ];
}

function toRates(title: string, sections: Figures['sections']): Figures {
  const titles = [
    ...['dangers', 'others'],
    ...rates.map((rate) => `found at ${100 * rate} %`),
    ...['found, in use', 'false, in use'],
  ];
  return { columns: [{ title }, ...figureColumns(...titles)], sections };
}
