import { findInSegment, type Findings, newFindings } from './findings.js';
import { fillFeatures, newFeatures } from './features.js';
import { classTotal, scoreFeatures, type TopicModel } from './model.js';
import { newWords, readWords, wipeLetters } from './tokens.js';
import { topicExtraction as settings } from '../../../generated/spec.js';
import { areas, topicsByArea } from './vocabulary.js';

/** What one text says about topics. */
export interface Reading {
  /** Odds of each area, then of "none", in each segment that is not small talk; those of one segment up to a factor. */
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
const found = newFindings();
const features = newFeatures();

/** Reads a text of any content; nothing but small talk gives an empty reading. */
export function readText(model: TopicModel, text: string): Reading {
  readWords(text, words);
  const segments: number[][] = [];
  let points: Map<number, number> | undefined;
  let from = 0;
  for (const to of words.segmentEnds) {
    findInSegment(found, model.lexicon, words, from, to);
    from = to;
    if (found.isSmallTalk) continue;
    fillFeatures(features, model.index, model.lexicon, words, found);
    segments.push(toOdds(scoreFeatures(model, features), found.hits));
    if (found.hits.length > 0) addPoints((points ??= new Map()), found.hits);
  }
  wipeLetters(words);
  return { segments, points: points ?? noPoints };
}

const noPoints: Reading['points'] = new Map();

/** Raises the areas whose topics a phrase names outright, hints apart: training rows are few, phrases are sure. */
function toOdds(scores: number[], hits: Findings['hits']): number[] {
  named.fill(0);
  for (const { number, points } of hits) {
    const k = areaNumbers[number] as number;
    if (points >= 1) named[k] = Math.max(named[k] as number, Math.min(points, settings.phrase_points_max));
  }
  for (let k = 0; k < scores.length; k++)
    scores[k] = Math.exp((scores[k] as number) + settings.phrase_log_odds_per_point * (named[k] as number));
  return scores;
}

/** Scratch: words of the longest phrase about each area; about "none" there are no phrases. */
const named = new Float64Array(classTotal);

function addPoints(total: Map<number, number>, hits: Findings['hits']): void {
  for (const { number, points } of hits) {
    const before = total.get(number);
    total.set(number, before === undefined ? points : Math.max(before, points) + REPEAT_POINTS);
  }
}

const noLeanings: readonly number[] = areas.map(() => 1);

/** For each area the best share, 0–1, that any segment gives it, once its odds are multiplied by the `leanings`. */
export function bestShares({ segments }: Reading, leanings = noLeanings): number[] {
  const best = leanings.map(() => 0);
  for (const odds of segments) {
    let sum = odds[leanings.length] as number;
    for (let k = 0; k < leanings.length; k++) sum += (odds[k] as number) * (leanings[k] as number);
    for (let k = 0; k < leanings.length; k++)
      best[k] = Math.max(best[k] as number, ((odds[k] as number) * (leanings[k] as number)) / sum);
  }
  return best;
}
