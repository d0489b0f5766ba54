import { findInSegment, type Findings } from './findings.js';
import { fillFeatures, newFeatures } from './features.js';
import { scoreFeatures, toShares, type TopicModel } from './model.js';
import { isSmallTalk } from './small-talk.js';
import { readWords } from './tokens.js';
import { topicExtraction as settings } from '../../../generated/spec.js';
import { areaOfTopic, areas, type TopicName } from './vocabulary.js';

/** What one text says about topics. */
export interface Reading {
  /** Scores of each segment that is not small talk; the areas, then "none". */
  readonly segments: readonly (readonly number[])[];
  /** Points of each topic that a phrase supports; a longer phrase and a repeat count more. */
  readonly points: ReadonlyMap<TopicName, number>;
}

const areaNumber = new Map([...areaOfTopic].map(([topic, area]) => [topic, areas.indexOf(area)]));
/** Points for each further phrase of a topic (judgement). */
const REPEAT_POINTS = 0.25;

/** Reads a text of any content; nothing but small talk gives an empty reading. */
export function readText(model: TopicModel, text: string): Reading {
  const words = readWords(text);
  const features = newFeatures(words);
  const segments: number[][] = [];
  const points = new Map<TopicName, number>();
  let from = 0;
  for (const to of words.segmentEnds) {
    const found = findInSegment(model.lexicon, words, from, to);
    from = to;
    if (isSmallTalk(words, found)) continue;
    fillFeatures(features, words, found);
    segments.push(favourPhrases(scoreFeatures(model, features), found.hits));
    addPoints(points, found.hits);
  }
  return { segments, points };
}

/** Raises the areas whose topics a phrase names outright, hints apart: training rows are few, phrases are sure. */
function favourPhrases(scores: number[], hits: Findings['hits']): number[] {
  const best = areas.map(() => 0);
  for (const { topic, points } of hits) {
    const k = areaNumber.get(topic) ?? 0;
    if (points >= 1) best[k] = Math.max(best[k] as number, Math.min(points, settings.phrase_points_max));
  }
  for (let k = 0; k < best.length; k++)
    (scores[k] as number) += settings.phrase_log_odds_per_point * (best[k] as number);
  return scores;
}

function addPoints(total: Map<TopicName, number>, hits: Findings['hits']): void {
  for (const { topic, points } of hits) {
    const before = total.get(topic);
    total.set(topic, before === undefined ? points : Math.max(before, points) + REPEAT_POINTS);
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
