import { bands, stateHold } from '../../generated/spec.js';

export type Band = (typeof bands)[number];

/** The band of a published score, 0..100. */
export function bandOf(score: number): Band {
  return bands.find(({ max_score }) => score <= max_score) ?? bands[4];
}

/**
 * The published integer score: the fused value rounded, or held at the edge of the present band until the value lies
 * the margin inside another, so that noise at an edge makes no storm of changes. `heldScore` is the published score
 * as of the last strictly earlier instant; absent in a new session.
 */
export function publishScore(value: number, heldScore: number | undefined): number {
  const score = Math.round(value);
  if (heldScore === undefined) return score;
  const { min_score, max_score } = bandOf(heldScore);
  const leaves = value <= min_score - stateHold.margin_points || value >= max_score + 1 + stateHold.margin_points;
  return leaves ? score : Math.min(Math.max(score, min_score), max_score);
}
