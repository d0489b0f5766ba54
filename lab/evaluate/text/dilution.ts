import { readSafetyTexts } from '../../../packages/text/training/safety.js';
import { readSeverityTexts } from '../../../packages/text/training/severity.js';
import { mean } from '../../../packages/tools/evaluate/figures/statistics.js';
import { seededRandom } from '../../../packages/tools/terminal/scenes.js';
import { type Analyzer, findFold, foldTotal, type LeftOut, unseenKind } from './left-out.js';
import { type Figures, quotientLine, shareLine, toFigures } from './lines.js';
import { isStressed } from './state.js';

/** Characters of neutral text beside a sentence, with the goal for the share of severe sentences. */
const lengths = [
  { length: 0, stressedMin: undefined },
  { length: 120, stressedMin: 0.75 },
  { length: 250, stressedMin: 0.65 },
  { length: 1000, stressedMin: 0.55 },
  { length: 3500, stressedMin: 0.45 },
];
/** SAD's rating from which a sentence counts as severe, 0–1. */
const severeMin = 0.75;
const dangerMin = 0.8;
const neutralMax = { stressed: 0.015, danger: 0.003 };
/** Neutral texts beside each sentence, so that the figure does not depend on one of them. */
const draws = 6;
const seed = 65;

/** Measures how often severe sentences and dangers are noticed beside neutral text, and what long neutral texts give. */
export function measureDilution(data: string, leftOut: LeftOut): Figures[] {
  const all = readSeverityTexts(data);
  const chat = all.filter(({ kind }) => kind === unseenKind).map(({ text }) => text);
  const severe = all.filter(({ rating = 0, kind, text }) => rating >= severeMin && leftOut.has(kind, text));
  const dangers = readSafetyTexts(data)
    .filter(({ source, danger }) => /^voices/.test(source) && danger !== 'none')
    .filter(({ source, text }) => leftOut.has(source, text));
  const judge = <T extends { readonly text: string }>(
    texts: readonly T[],
    toSource: (it: T) => string,
    holds: (analyzer: Analyzer, text: string) => boolean,
  ) =>
    lengths.map(({ length }) => {
      const random = seededRandom(seed);
      return texts.map((it) => {
        const analyzer = leftOut.find(toSource(it), it.text);
        const diluted = Array.from({ length: length === 0 ? 1 : draws }, () => dilute(it.text, length, chat, random));
        return mean(diluted.map((text) => Number(holds(analyzer, text))));
      });
    });
  const stressed = judge(severe, ({ kind }) => kind, isStressed);
  const found = judge(dangers, ({ source }) => source, hasDanger);
  const alone = found[0] ?? [];
  const name = (length: number) => (length === 0 ? 'alone' : `beside ${length} characters`);
  const dilution = toFigures('dilution by chat', [
    lengths.map(({ length, stressedMin }, i) =>
      shareLine(`SAD ≥ 7.5, ${name(length)}: stressed`, stressed[i] ?? [], Number, { min: stressedMin }),
    ),
    lengths.map(({ length }, i) => shareLine(`dangers, ${name(length)}: found`, found[i] ?? [], Number)),
    lengths.slice(1).map(({ length }, i) =>
      quotientLine(
        `  found ${name(length)}, of alone`,
        (found[i + 1] ?? []).map((it, k) => [it, alone[k] ?? 0]),
        { min: dangerMin },
      ),
    ),
  ]);
  const sources = [unseenKind, 'everyday/request', 'comments'];
  const neutral = toFigures('long neutral texts', [
    ...sources.map((source) =>
      [120, 250, 1000, 3500].flatMap((length) => {
        const texts = all.filter(({ kind }) => kind === source).map(({ text }) => text);
        return measureNeutral(leftOut, source, texts, length);
      }),
    ),
  ]);
  return [dilution, neutral];
}

function measureNeutral(leftOut: LeftOut, source: string, texts: readonly string[], length: number) {
  const judged = leftOut.analyzers.flatMap((analyzer, fold) => {
    const own =
      source === unseenKind
        ? texts.filter((_, i) => i % foldTotal === fold)
        : texts.filter((text) => findFold(source, text) === fold);
    return joinTexts(own, length).map((text) => {
      return { isStressed: isStressed(analyzer, text), hasDanger: hasDanger(analyzer, text) };
    });
  });
  const name = `${source.replace('everyday/', '')}, ${length} characters`;
  // Some comments do describe stress, so that they have no goal.
  const [stressed, danger] = source === 'comments' ? [undefined, undefined] : [neutralMax.stressed, neutralMax.danger];
  return [
    shareLine(`${name}: stressed`, judged, (it) => it.isStressed, { max: stressed }),
    shareLine(`${name}: danger`, judged, (it) => it.hasDanger, { max: danger }, 2),
  ];
}

const hasDanger = (analyzer: Analyzer, text: string) => analyzer.analyze(text).check.danger !== undefined;

/** Returns a text at a random place within neutral texts of `length` characters. */
function dilute(text: string, length: number, neutral: readonly string[], random: () => number): string {
  const parts: string[] = [];
  for (let at = Math.floor(random() * neutral.length), left = length; left > 0; at++) {
    const part = endSentence(neutral[at % neutral.length] ?? '');
    // Cuts the last part between two words.
    parts.push(part.length <= left ? part : endSentence(part.slice(0, left).replace(/\s\S*$/, '')));
    left -= part.length + 1;
  }
  parts.splice(Math.floor(random() * (parts.length + 1)), 0, endSentence(text));
  return parts.join(' ');
}

/** Joins texts to long texts of about `length` characters. Each text is used once. */
function joinTexts(texts: readonly string[], length: number): string[] {
  const joined: string[] = [];
  let parts: string[] = [];
  for (const text of texts) {
    parts.push(endSentence(text));
    if (parts.join(' ').length < length) continue;
    joined.push(parts.join(' '));
    parts = [];
  }
  return joined;
}

const endSentence = (text: string) => (/[.!?…]["”')]?\s*$/.test(text) ? text.trim() : `${text.trim()}.`);
