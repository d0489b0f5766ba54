import { readFileSync } from 'node:fs';
import { loadTextModel } from '../../../packages/text/model.js';
import { createTextAnalyzer, type TurnAnalysis } from '../../../packages/text/texts.js';
import { createReadMessage, encodeModels } from '../../../packages/text/training/fit.js';
import { fitSeverity, readSeverityTexts } from '../../../packages/text/training/severity.js';
import { readTopicTexts, weightsFile } from '../../../packages/text/training/texts.js';
import type { Area } from '../../../packages/text/vocabulary.js';
import { decodeWeights } from '../../../packages/text/weights.js';
import { fitWithoutFold, splitTexts } from './cross-validate.js';

/** A message that neither model was fitted on, as the service analyzes it. */
export interface Message {
  /** Area of a concern by its raters. Undefined for small talk. */
  readonly area: Area | undefined;
  readonly analysis: TurnAnalysis;
  readonly sentiment: number | undefined;
}

const folds = 5;

/**
 * Returns the stressor sentences of SAD and the small talk of one fold. Fits the models of topics and severity on the other
 * folds. `seed` distributes the texts and chooses the fold.
 */
export function judgeMessages(dataFolder: string, seed: number): Message[] {
  const split = splitTexts(readTopicTexts(dataFolder), folds, seed);
  const fold = seed % folds;
  const heldOut = split.all.filter((it) => split.foldOf(it) === fold);
  const texts = new Set(heldOut.map(({ text }) => text));
  const severityTexts = readSeverityTexts(dataFolder).filter(({ text }) => !texts.has(text));
  const topics = decodeWeights(fitWithoutFold(split, fold));
  const severity = fitSeverity(severityTexts, createReadMessage(topics.vocabulary));
  const analyzer = createTextAnalyzer(loadTextModel(encodeModels({ ...topics, severity })));
  const released = createTextAnalyzer(loadTextModel(readFileSync(weightsFile)));
  return heldOut.flatMap(({ text, area, kind, sad }) => {
    const { isForeign, danger } = released.analyze(text).check;
    const isUsed = sad ? kind === 'sad' && area !== undefined : kind === 'chat';
    if (!isUsed || isForeign || danger !== undefined) return [];
    const analysis = analyzer.analyzeTurn({ user_message: text, ai_response: 'I understand. Tell me more.' });
    return [{ area, analysis, sentiment: analyzer.analyze(text).sentiment }];
  });
}
