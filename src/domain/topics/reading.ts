import { findInSegment, type Findings, newFindings } from './findings.js';
import { fillFeatures, newFeatures } from './features.js';
import { classTotal, scoreFeatures, type TopicModel } from './model.js';
import { newWords, readWords, wipeLetters } from './tokens.js';
import { topicExtraction as settings } from '../../../generated/spec.js';
import { areas, topicsByArea } from './vocabulary.js';

/** What one text says about topics: numbers only, in lists that are quick to copy to another thread. */
export interface Reading {
  /** Odds of each area, then of "none", segment after segment but small talk; those of one segment up to a factor. */
  readonly odds: readonly number[];
  /** The topics that phrases support, by number, each followed by its points; a longer phrase and a repeat count more. */
  readonly points: readonly number[];
}

/** The number of the area of each topic. */
const areaOfNumber = areas.flatMap((area, k) => topicsByArea[area].map(() => k));
/** Points for each further phrase of a topic (judgement). */
const REPEAT_POINTS = 0.25;

/** Scratch: laid out once, for the next text to be written over the last. */
const words = newWords();
const found = newFindings();
const features = newFeatures();

/** Reads a text of any content; nothing but small talk gives an empty reading. */
export function readText(model: TopicModel, text: string): Reading {
  readWords(text, words);
  const odds: number[] = [];
  const points: number[] = [];
  let from = 0;
  for (const to of words.segmentEnds) {
    findInSegment(found, model.lexicon, words, from, to);
    from = to;
    if (found.isSmallTalk) continue;
    fillFeatures(features, model.index, model.lexicon, words, found);
    odds.push(...toOdds(scoreFeatures(model, features), found.hits));
    addPoints(points, found.hits);
  }
  wipeLetters(words);
  return { odds, points };
}

/** Raises the areas whose topics a phrase names outright, hints apart: training rows are few, phrases are sure. */
function toOdds(scores: number[], hits: Findings['hits']): number[] {
  named.fill(0);
  for (const { number, points } of hits) {
    const k = areaOfNumber[number] as number;
    if (points >= 1) named[k] = Math.max(named[k] as number, Math.min(points, settings.phrase_points_max));
  }
  for (let k = 0; k < scores.length; k++)
    scores[k] = Math.exp((scores[k] as number) + settings.phrase_log_odds_per_point * (named[k] as number));
  return scores;
}

/** Scratch: words of the longest phrase about each area; about "none" there are no phrases. */
const named = new Float64Array(classTotal);

function addPoints(points: number[], hits: Findings['hits']): void {
  for (const hit of hits) {
    const at = placeOf(points, hit.number);
    if (at < 0) points.push(hit.number, hit.points);
    else points[at + 1] = Math.max(points[at + 1] as number, hit.points) + REPEAT_POINTS;
  }
}

/** A text's points of a topic, 0 where no phrase supports it. */
export function pointsOf(points: Reading['points'], topic: number): number {
  const at = placeOf(points, topic);
  return at < 0 ? 0 : (points[at + 1] as number);
}

function placeOf(points: Reading['points'], topic: number): number {
  for (let at = 0; at < points.length; at += 2) if (points[at] === topic) return at;
  return -1;
}

const noLeanings: readonly number[] = areas.map(() => 1);

/** For each area the best share, 0–1, that any segment gives it, once its odds are multiplied by the `leanings`. */
export function bestShares({ odds }: Reading, leanings = noLeanings): number[] {
  const best = leanings.map(() => 0);
  for (let from = 0; from < odds.length; from += classTotal) {
    let sum = odds[from + best.length] as number;
    for (let k = 0; k < best.length; k++) sum += (odds[from + k] as number) * (leanings[k] as number);
    for (let k = 0; k < best.length; k++)
      best[k] = Math.max(best[k] as number, ((odds[from + k] as number) * (leanings[k] as number)) / sum);
  }
  return best;
}
