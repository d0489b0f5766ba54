import { join } from 'node:path';
import { computeDangerLogOdds, findExplicit, withoutQuotes } from '../../../packages/text/safety.js';
import { safetyFinding as settings } from '../../../packages/text/settings.js';
import { readRecords } from '../../../packages/text/training/sad.js';
import { readLabeled, readSafetyTexts, voicesByAuthor } from '../../../packages/text/training/safety.js';
import { textTable, type TableRow } from '../../../packages/tools/terminal/table.js';
import { figureColumns } from '../../figures.js';
import { shareWithInterval } from '../support/share.js';
import { type Analyzer, findFold, type LeftOut, released } from './left-out.js';
import { printLines, shareLine } from './lines.js';

/** A text with what the detector found. */
interface Judged {
  readonly source: string;
  readonly isDanger: boolean;
  readonly isFound: boolean;
  /** Log odds of any danger. Infinite for a finding by a pattern or another rule. */
  readonly logOdds: number;
}

const rates = [0.01, 0.02, 0.04];
/** Questions to a counselor that describe a danger to their writer, by the labels of this project. They are in no training of safety. */
const counselorDangers = [17, 28, 67, 74, 107, 222, 282, 452, 620, 639, 753];
const heldOut = [
  ...['veteran', 'carer', 'student', 'night-worker'].map((it) => `held-out-voices/${it}`),
  ...['held-out', 'evaluation'],
];
const everyday = ['everyday/request', 'everyday/instruction', 'everyday/chat'];

/** Prints the share of dangers found at fixed rates of false alarms per source, and at the threshold in use. */
export function printSafety(data: string, leftOut: LeftOut, isHeldOut: boolean): void {
  const judged = readSafetyTexts(data)
    .filter(({ source, text }) => findFold(source, text) !== undefined)
    .map(({ text, source, danger }) => judge(leftOut.find(source, text), text, source, danger !== 'none'));
  const of = (...sources: string[]) =>
    judged.filter(({ source }) => sources.some((it) => source === it || source.startsWith(`${it}/`)));
  const voices = of('voices');
  const dangers = voices.filter(({ isDanger }) => isDanger);
  const counselor = readRecords(join(data, 'concerns_dev.csv'), ['id', 'text']).map(({ id, text = '' }) =>
    judge(leftOut.find('counseling', text), text, 'counseling', counselorDangers.includes(Number(id))),
  );
  const authors = voicesByAuthor.map((own, i) =>
    rateRow(`author ${i + 1} (${own[0]}, ${own[1]}…)`, of(...own.map((voice) => `voices/${voice}`))),
  );
  printRates('dangers against texts of the same source', [
    [...authors, rateRow('all three authors', voices), rateRow('questions to a counselor', counselor)],
    isHeldOut ? heldOut.map((source) => rateRow(source, judgeReleased(source))) : [],
  ]);
  const others: Array<[string, string[]]> = [
    ['requests, instructions, film chat', everyday],
    ['comments of a forum', ['comments']],
    ['SAD, short stressors', ['sad']],
    ['own texts: glad, neutral, others', ['glad', 'neutral', 'others']],
    ['own texts: concerns', ['concerns', 'labeled']],
  ];
  printRates('dangers of the three authors, against other texts', [
    others.map(([name, sources]) => rateRow(name, [...of(...sources), ...dangers])),
  ]);
  const alarms = (of: readonly Judged[]) => of.map(({ isFound }) => Number(isFound));
  const lookAlikes = voices.filter(({ isDanger }) => !isDanger);
  const at = findThreshold(lookAlikes, 0.04);
  printLines('safety at the threshold in use', [
    [
      shareLine(
        'dangers found at 4 % of look-alikes (not in use)',
        dangers.map((it) => at(it)),
        { min: 0.65 },
      ),
      ...[everyday, ...everyday.map((it) => [it])].map((sources) =>
        shareLine(`false danger: ${sources.join(', ')}`, alarms(of(...sources)), { max: 0.002 }, 2),
      ),
      shareLine('false danger: look-alikes', alarms(lookAlikes), { max: 0.04 }),
    ],
  ]);
}

function judgeReleased(source: string): Judged[] {
  const analyzer = released();
  return readLabeled(`safety/${source}`, source).map(({ text, danger }) =>
    judge(analyzer, text, source, danger !== 'none'),
  );
}

function judge(analyzer: Analyzer, text: string, source: string, isDanger: boolean): Judged {
  const isFound = analyzer.analyze(text).check.danger !== undefined;
  const own = withoutQuotes(text);
  const logOddsOf = (it: string) => computeDangerLogOdds(analyzer.scoreMessage(it).safety);
  const logOdds = own === text ? logOddsOf(text) : Math.min(logOddsOf(text), logOddsOf(own));
  const isByRule = isFound && (logOdds < settings.log_odds_min || findExplicit(text) !== undefined);
  return { source, isDanger, isFound, logOdds: isByRule ? Infinity : logOdds };
}

/**
 * Returns a function that tells whether a danger is found with the threshold at which exactly `rate` of the other texts are
 * false alarms. Between two texts, it is the mean of both thresholds, weighted.
 */
function findThreshold(others: readonly Judged[], rate: number): (danger: Judged) => number {
  const sorted = others.map(({ logOdds }) => logOdds).sort((a, b) => b - a);
  const [count, weight] = [Math.floor(rate * sorted.length), (rate * sorted.length) % 1];
  const isAbove = ({ logOdds }: Judged, k: number) => Number(logOdds > (sorted[k] ?? -Infinity));
  return (danger) => (1 - weight) * isAbove(danger, count) + weight * isAbove(danger, count + 1);
}

/** Returns what is found at each rate of false alarms, and at the threshold in use. */
function rateRow(name: string, judged: readonly Judged[]): TableRow {
  const [dangers, others] = [true, false].map((side) => judged.filter(({ isDanger }) => isDanger === side));
  const cell = (shares: readonly number[] = []) =>
    shareWithInterval(
      shares.reduce((sum, it) => sum + it, 0),
      shares.length,
    );
  return [
    name,
    ...[dangers, others].map((it = []) => String(it.length)),
    ...rates.map((rate) => cell(dangers?.map(findThreshold(others ?? [], rate)))),
    ...[dangers, others].map((it) => cell(it?.map(({ isFound }) => Number(isFound)))),
  ];
}

function printRates(title: string, sections: readonly (readonly TableRow[])[]): void {
  const titles = [
    ...['dangers', 'others'],
    ...rates.map((rate) => `found at ${100 * rate} %`),
    ...['found, in use', 'false, in use'],
  ];
  console.log(`\n${textTable([{ title }, ...figureColumns(...titles)], sections)}`);
}
