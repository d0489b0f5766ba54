import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCheckMessage } from '../../../packages/text/check-message.js';
import { openSafetyModel } from '../../../packages/text/safety.js';
import { loadTopicModel } from '../../../packages/text/model.js';
import { createSentimentEstimator, openSeverityModel } from '../../../packages/text/severity.js';
import { createTopicAnalyzer, type TurnAnalysis } from '../../../packages/text/texts.js';
import { encodeSeverity, fitSeverity, readSeverityTexts } from '../../../packages/text/training/severity.js';
import { readTopicTexts, weightsFolder } from '../../../packages/text/training/texts.js';
import type { Area } from '../../../packages/text/vocabulary.js';
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
 * Returns the stressor sentences of SAD and the small talk of one fold. Fits both models on the other folds. `seed`
 * distributes the texts and chooses the fold.
 */
export function judgeMessages(dataFolder: string, seed: number): Message[] {
  const split = splitTexts(readTopicTexts(dataFolder), folds, seed);
  const fold = seed % folds;
  const heldOut = split.all.filter((it) => split.foldOf(it) === fold);
  const texts = new Set(heldOut.map(({ text }) => text));
  const severityTexts = readSeverityTexts(dataFolder).filter(({ text }) => !texts.has(text));
  const { analyzeTurn } = createTopicAnalyzer(loadTopicModel(fitWithoutFold(split, fold)));
  const estimate = createSentimentEstimator(openSeverityModel(encodeSeverity(fitSeverity(severityTexts))));
  const check = createCheckMessage(openSafetyModel(readFileSync(join(weightsFolder, 'safety.bin'))));
  return heldOut.flatMap(({ text, area, kind, sad }) => {
    const { isForeign, danger } = check(text);
    const isUsed = sad ? kind === 'sad' && area !== undefined : kind === 'chat';
    if (!isUsed || isForeign || danger !== undefined) return [];
    const analysis = analyzeTurn({ user_message: text, ai_response: 'I understand. Tell me more.' });
    return [{ area, analysis, sentiment: estimate(text) }];
  });
}
