import { readFileSync } from 'node:fs';
import { loadTextModel, type TextModel } from '../../../packages/text/model.js';
import { createTextAnalyzer } from '../../../packages/text/texts.js';
import {
  areaTexts,
  encodeModels,
  fitAreas,
  fitConcern,
  fitTopics,
  listVocabulary,
} from '../../../packages/text/training/fit.js';
import type { SadRow } from '../../../packages/text/training/sad.js';
import {
  toGroup,
  heldBackPrefix,
  type LabeledText,
  type TopicLine,
  type TopicTexts,
  weightsFile,
} from '../../../packages/text/training/texts.js';
import { areaOfTopic, areas, type Area, type TopicName } from '../../../packages/text/vocabulary.js';
import { decodeWeights } from '../../../packages/text/weights.js';
import { seededRandom } from '../../../packages/tools/terminal/scenes.js';
import { findHighestShares, gatherTopics } from '../../../packages/text/gather.js';

/** Prediction for a text by a model that was not trained on this text. */
export interface Judgement {
  readonly it: LabeledText;
  /** Log odds that the speaker describes a concern of their own. */
  readonly concern: number;
  /** Most likely area, even if the gate rejects the text. Undefined for small talk. */
  readonly best: Area | undefined;
  /** Areas of the topics that the service returns if the gate accepts the text. The first area is the main one. */
  readonly ungated: readonly Area[];
}

/**
 * Predicts every text with a model that is trained on the other folds. Folds are stratified by kind and area. The same
 * seed gives the same result.
 */
export function crossValidate(texts: TopicTexts, folds: number, seed: number, onFold: () => void) {
  const split = splitTexts(texts, folds, seed);
  return Array.from({ length: folds }, (_, fold) => {
    const model = loadTextModel(fitWithoutFold(split, fold));
    onFold();
    return judgeAll(
      model,
      split.all.filter((it) => split.foldOf(it) === fold),
    );
  }).flat();
}

/** The texts and the fold of each. */
export interface SplitTexts {
  readonly sad: readonly SadRow[];
  /** The texts that the gate is trained on. */
  readonly trained: readonly LabeledText[];
  /** All texts, also the rows of SAD that only the area model is trained on. */
  readonly all: readonly LabeledText[];
  readonly foldOf: (it: LabeledText | SadRow) => number | undefined;
}

/** Distributes the texts over the folds. */
export function splitTexts({ sad, labeled }: TopicTexts, folds: number, seed: number): SplitTexts {
  const trained = labeled.filter(({ kind }) => !kind.startsWith(heldBackPrefix));
  const all: LabeledText[] = [...trained, ...unlabeledOf(sad, trained)];
  const numbers = assignFolds(all, folds, seed);
  const byText = new Map<LabeledText | SadRow, number | undefined>(all.map((it, i) => [it.sad ?? it, numbers[i]]));
  return { sad, trained, all, foldOf: (it) => byText.get(('sad' in it && it.sad) || it) };
}

/** Returns the weights of a model that is trained on the other folds. */
export function fitWithoutFold({ sad, trained, foldOf }: SplitTexts, fold: number): Uint8Array {
  const isTrained = (it: LabeledText | SadRow) => foldOf(it) !== fold;
  const topics = fitTopics(sad.filter(isTrained), trained.filter(isTrained));
  return encodeModels({ ...readReleased(), ...topics });
}

/**
 * Predicts each group of kinds with a gate that is trained without this group. See {@link toGroup}. A folder is left out
 * as a whole, because its kinds resemble each other.
 */
export function leaveGroupsOut({ sad, labeled }: TopicTexts, groups: readonly string[], onGroup: () => void) {
  const trained = labeled.filter(({ kind }) => !kind.startsWith(heldBackPrefix));
  const vocabulary = listVocabulary(sad, trained);
  const areaModel = fitAreas(areaTexts(sad, trained), vocabulary);
  return groups.flatMap((group) => {
    const isLeftOut = ({ kind }: LabeledText) => toGroup(kind) === group;
    const concern = fitConcern(
      trained.filter((it) => !isLeftOut(it)),
      vocabulary,
    );
    onGroup();
    const model = loadTextModel(encodeModels({ ...readReleased(), vocabulary, areas: areaModel, concern }));
    return judgeAll(model, labeled.filter(isLeftOut));
  });
}

/** Returns the weights of the service, whose severity and safety do not change the topics. */
const readReleased = () => decodeWeights(readFileSync(weightsFile));

/** The topics that the service returns for a text of the evaluation. */
export interface Finding {
  readonly line: TopicLine;
  readonly topics: readonly TopicName[];
  /** Log odds that the speaker describes a concern of their own. */
  readonly concern: number;
}

/** Returns the topics of each text, as the first turn of a session of a person without known topics. */
export function judgeLines(model: TextModel, lines: readonly TopicLine[]): Finding[] {
  const analyzer = createTextAnalyzer(model);
  return lines.map((line) => {
    const turn = analyzer.analyzeTurn({ user_message: line.text, ai_response: '' });
    return { line, topics: gatherTopics(undefined, turn).topics, concern: turn.concern };
  });
}

function judgeAll(model: TextModel, texts: readonly LabeledText[]): Judgement[] {
  const analyzer = createTextAnalyzer(model);
  return texts.map((it) => {
    // Each text is the first turn of a session.
    const turn = analyzer.analyzeTurn({ user_message: it.text, ai_response: '' });
    const { topics } = gatherTopics(undefined, { ...turn, concern: Infinity });
    const shares = findHighestShares(turn.user);
    const share = Math.max(...shares);
    return {
      it,
      concern: turn.concern,
      best: share > 0 ? areas[shares.indexOf(share)] : undefined,
      ungated: topics.flatMap((topic) => areaOfTopic.get(topic) ?? []),
    };
  });
}

/** Returns the SAD rows that the gate is not trained on. The model still predicts them. */
function unlabeledOf(sad: readonly SadRow[], labeled: readonly LabeledText[]): LabeledText[] {
  const known = new Set(labeled.map((it) => it.sad));
  return sad
    .filter((row) => !known.has(row))
    .map((row) => ({ text: row.sentence, kind: 'sad, unclear', isConcern: row.isStressor, area: undefined, sad: row }));
}

/** Distributes the texts of each kind and area over the folds, after a seeded shuffle. */
function assignFolds(texts: readonly LabeledText[], folds: number, seed: number): number[] {
  const random = seededRandom(seed);
  const order = texts.map(({ kind, area, sad }, index) => ({
    index,
    key: `${kind} ${area} ${sad?.isStressor} ${sad?.second === undefined}`,
    at: random(),
  }));
  order.sort((a, b) => (a.key === b.key ? a.at - b.at : a.key < b.key ? -1 : 1));
  const foldOf: number[] = [];
  order.forEach(({ index }, place) => (foldOf[index] = place % folds));
  return foldOf;
}
