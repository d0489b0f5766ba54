import { findInSegment, type Findings } from './findings.js';
import { fillFeatures, newFeatures } from './features.js';
import { scoreFeatures, toShares, type TopicModel } from './model.js';
import { isSmallTalk } from './small-talk.js';
import { newWords, readWords, wipeLetters } from './tokens.js';
import { topicExtraction as settings } from '../../../generated/spec.js';
import { areas, topicsByArea } from './vocabulary.js';

/** What one text says about topics. */
export interface Reading {
  /** Scores of each segment that is not small talk; the areas, then "none". */
  readonly segments: readonly (readonly number[])[];
  /** Points of each topic that a phrase supports, by its number; a longer phrase and a repeat count more. */
  readonly points: ReadonlyMap<number, number>;
}

/** The number of the area of each topic. */
const areaNumbers = areas.flatMap((area, k) => topicsByArea[area].map(() => k));
/** Points for each further phrase of a topic (judgement). */
const REPEAT_POINTS = 0.25;

/** Scratch: laid out once, for the next text to be written over the last. */
const words = newWords();
const features = newFeatures();

/** Reads a text of any content; nothing but small talk gives an empty reading. */
export function readText(model: TopicModel, text: string): Reading {
  readWords(text, words);
  const segments: number[][] = [];
  const points = new Map<number, number>();
  let from = 0;
  for (const to of words.segmentEnds) {
    const found = findInSegment(model.lexicon, words, from, to);
    from = to;
    if (isSmallTalk(words, found)) continue;
    fillFeatures(features, words, found);
    segments.push(favourPhrases(scoreFeatures(model, features), found.hits));
    addPoints(points, found.hits);
  }
  wipeLetters(words);
  return { segments, points };
}

/** Raises the areas whose topics a phrase names outright, hints apart: training rows are few, phrases are sure. */
function favourPhrases(scores: number[], hits: Findings['hits']): number[] {
  const best = areas.map(() => 0);
  for (const { number, points } of hits) {
    const k = areaNumbers[number] as number;
    if (points >= 1) best[k] = Math.max(best[k] as number, Math.min(points, settings.phrase_points_max));
  }
  for (let k = 0; k < best.length; k++)
    (scores[k] as number) += settings.phrase_log_odds_per_point * (best[k] as number);
  return scores;
}

function addPoints(total: Map<number, number>, hits: Findings['hits']): void {
  for (const { number, points } of hits) {
    const before = total.get(number);
    total.set(number, before === undefined ? points : Math.max(before, points) + REPEAT_POINTS);
  }
}

/** For each area the best share, 0–1, that any segment gives it, once `leanings` are added to its log odds. */
export function bestShares({ segments }: Reading, leanings: readonly number[]): number[] {
  const best = areas.map(() => 0);
  for (const scores of segments) {
    const shares = toShares(scores, leanings);
    for (let k = 0; k < best.length; k++) best[k] = Math.max(best[k] as number, shares[k] as number);
  }
  return best;
}
