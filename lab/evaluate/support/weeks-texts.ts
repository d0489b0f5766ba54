import { readFileSync } from 'node:fs';
import { loadTextModel } from '../../../packages/text/model.js';
import { createTextAnalyzer, type TurnAnalysis } from '../../../packages/text/texts.js';
import { encodeModels, fitTopics } from '../../../packages/text/training/fit.js';
import type { SadRow } from '../../../packages/text/training/sad.js';
import {
  heldBackPrefix,
  type LabeledText,
  readTopicTexts,
  weightsFile,
} from '../../../packages/text/training/texts.js';
import type { Area } from '../../../packages/text/vocabulary.js';
import { decodeWeights } from '../../../packages/text/weights.js';
import { answer } from '../../../packages/tools/evaluate/protocol/weeks.js';
import { seededRandom } from '../../../packages/tools/terminal/scenes.js';
import { released } from '../text/left-out.js';

/** A message that the model of topics was not fitted on, as the service analyzes it. */
export interface Message {
  /** Area of a concern by its raters. Undefined for small talk. */
  readonly area: Area | undefined;
  readonly analysis: TurnAnalysis;
}

/** Three seeds share a fold, so that few models are fitted. Seeds 1 to 3, which constants are chosen on, have the first. */
const [foldTotal, seedsPerFold] = [5, 3];
const judged = new Map<number, Message[]>();

/**
 * Returns the stressor sentences of SAD and the small talk of the fold of a seed, judged by models of topics that are
 * fitted on the other folds.
 */
export function judgeMessages(dataFolder: string, seed: number): Message[] {
  const fold = Math.floor(Math.max(0, seed - 1) / seedsPerFold) % foldTotal;
  const messages = judged.get(fold) ?? judgeFold(dataFolder, fold);
  judged.set(fold, messages);
  return messages;
}

function judgeFold(dataFolder: string, fold: number): Message[] {
  const { sad, labeled } = readTopicTexts(dataFolder);
  const trained = labeled.filter(({ kind }) => !kind.startsWith(heldBackPrefix));
  const all: LabeledText[] = [...trained, ...unlabeledOf(sad, trained)];
  const folds = assignFolds(all);
  const heldOut = new Set(all.filter((_, index) => folds[index] === fold));
  const heldOutRows = new Set([...heldOut].map((it) => it.sad));
  const topics = fitTopics(
    sad.filter((it) => !heldOutRows.has(it)),
    trained.filter((it) => !heldOut.has(it)),
  );
  const weights = encodeModels({ ...decodeWeights(readFileSync(weightsFile)), ...topics });
  const analyzer = createTextAnalyzer(loadTextModel(weights));
  const { analyze } = released();
  return [...heldOut].flatMap(({ text, area, kind, sad }) => {
    const { isForeign, danger } = analyze(text).check;
    const isUsed = sad ? kind === 'sad' && area !== undefined : kind === 'chat';
    if (!isUsed || isForeign || danger !== undefined) return [];
    return [{ area, analysis: analyzer.analyzeTurn({ user_message: text, ai_response: answer }) }];
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
function assignFolds(texts: readonly LabeledText[]): number[] {
  const random = seededRandom(1);
  const order = texts.map(({ kind, area, sad }, index) => ({
    index,
    key: `${kind} ${area} ${sad?.isStressor} ${sad?.second === undefined}`,
    at: random(),
  }));
  order.sort((a, b) => (a.key === b.key ? a.at - b.at : a.key < b.key ? -1 : 1));
  const foldOf: number[] = [];
  order.forEach(({ index }, place) => (foldOf[index] = place % foldTotal));
  return foldOf;
}
