import { mean } from '../../../packages/tools/evaluate/figures/statistics.js';
import { gatherTopics } from '../../../packages/text/gather.js';
import { heldBackPrefix, readTopicLines, readTopicTexts } from '../../../packages/text/training/texts.js';
import { areaOfTopic, areas } from '../../../packages/text/vocabulary.js';
import { type Analyzer, type LeftOut, released, toSource } from './left-out.js';
import { type Figures, type Goal, shareLine, toFigures, toLine } from './lines.js';

/** Kinds of texts for the evaluation, and goals: the share with a topic of texts without a concern, and of concerns. */
const kinds = [
  { name: 'neutral statements about oneself', kinds: ['neutral-self'], max: 0.15 },
  { name: 'third person, quotes, news', kinds: ['third-person-quotes', 'pasted-news'], max: 0.25 },
  { name: 'everyday chat about oneself', kinds: ['everyday-chat'], max: 0.12 },
  { name: 'happy moments', kinds: ['happy-moments'], max: 0.15 },
  {
    name: 'hypothetical, code, lyrics, sarcasm',
    kinds: ['hypothetical', 'code', 'lyrics-like', 'sarcasm'],
    max: 0.15,
  },
  { name: 'typos', kinds: ['typos'], rightMin: 0.6 },
  { name: 'short grief', kinds: ['short-grief'] },
  { name: 'plain concerns', kinds: ['plain-concerns'], min: 0.84 },
];

const listTopics = (analyzer: Analyzer, text: string) =>
  gatherTopics(undefined, analyzer.analyzeTurn({ user_message: text, ai_response: '' })).topics;

/** Measures how often texts have a topic, and whether it is right. */
export function measureTopics(data: string, leftOut: LeftOut, isHeldOut: boolean): Figures[] {
  const judged = readTopicTexts(data)
    .labeled.filter(({ kind }) => !kind.startsWith(heldBackPrefix))
    .filter((it) => leftOut.has(toSource(it), it.text))
    .map((it) => ({ ...it, topics: listTopics(leftOut.find(toSource(it), it.text), it.text) }));
  const ofKind = (pattern: RegExp) => judged.filter(({ kind }) => pattern.test(kind));
  const withTopic = (name: string, pattern: RegExp) =>
    shareLine(`${name}: with a topic`, ofKind(pattern), ({ topics }) => topics.length > 0);
  const counseling = ofKind(/^counseling$/);
  const isInArea = (count: number | undefined) => (it: (typeof judged)[0]) =>
    it.topics.slice(0, count).some((topic) => areaOfTopic.get(topic) === it.area);
  const leftOutFigures = toFigures('topics of texts left out', [
    [
      shareLine('questions to a counselor: area of the first topic right', counseling, isInArea(1), { min: 0.64 }),
      shareLine('  area of any topic right', counseling, isInArea(undefined), { min: 0.8 }),
      toF1Line(ofKind(/^sad$/)),
    ],
    [
      withTopic('requests', /^request$/),
      withTopic('instructions', /^instruction$/),
      withTopic('chat', /^chat$/),
      withTopic('glad or neutral comments', /^glad_or_neutral$/),
      ...['everyday', 'neutral', 'others', 'glad'].map((it) => withTopic(`own: ${it}`, new RegExp(`^own/${it}/`))),
    ],
    [
      withTopic('SAD, stressors', /^sad$/),
      withTopic('own: concerns', /^own\/concerns\//),
      withTopic('own: labeled', /^own\/labeled\//),
    ],
  ]);
  return [measureKinds(isHeldOut ? 'held-out' : 'development'), leftOutFigures];
}

function measureKinds(half: 'held-out' | 'development'): Figures {
  const analyzer = released();
  const judged = readTopicLines(half).map((it) => ({ ...it, found: listTopics(analyzer, it.text) }));
  const rows = kinds.flatMap(({ name, kinds, max, min, rightMin }) => {
    const ofRow = judged.filter(({ kind }) => kinds.includes(kind));
    const [calm, concerns] = [false, true].map((side) => ofRow.filter((it) => it.topics.length > 0 === side));
    const withTopic = (of: typeof judged = [], goal: Goal) =>
      shareLine(`${name}: with a topic`, of, (it) => it.found.length > 0, goal);
    if (max !== undefined) return [withTopic(calm, { max })];
    const isRight = (it: (typeof judged)[0]) => it.topics.some((topic) => topic === it.found[0]);
    return [withTopic(concerns, { min }), shareLine(`  first topic right`, concerns ?? [], isRight, { min: rightMin })];
  });
  return toFigures(`topics of own texts, half ${half}, which is in no training`, [rows]);
}

/** Returns the mean F1 of the areas of SAD's stressors. A sentence without a topic counts as a miss. */
function toF1Line(judged: ReadonlyArray<{ readonly area?: string | undefined; readonly topics: readonly string[] }>) {
  const rows = judged.map(({ area, topics }) => ({ area, found: areaOfTopic.get(topics[0] as never) }));
  const f1 = areas.map((area) => {
    const hits = rows.filter((it) => it.area === area && it.found === area).length;
    const either = rows.filter((it) => it.area === area).length + rows.filter((it) => it.found === area).length;
    return (2 * hits) / Math.max(1, either);
  });
  const [low, high] = [Math.min(...f1), Math.max(...f1)];
  return toLine('SAD: mean F1 of the areas (lowest – highest area)', rows.length, mean(f1), [low, high], {}, (it) =>
    it.toFixed(2),
  );
}
