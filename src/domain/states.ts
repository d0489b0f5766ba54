import { bands, stateHold } from '../../generated/spec.js';
import type { Assessment } from './stress.js';

export type Band = (typeof bands)[number];
type Fused = Pick<Assessment, 'value' | 'expressed'>;

/** The published state at one time. */
export interface Published {
  readonly score: number;
  /** Instants of this and of the session's first reading, epoch ms. */
  readonly atMs: number;
  readonly firstAtMs: number;
  /** Start of its band, epoch ms. Absent if the session has had only one band. */
  readonly bandSinceMs?: number;
  /** The score that the band before it ended with; absent with `bandSinceMs`. */
  readonly scoreBefore?: number;
  /** How far and how long the fused value has lain above (positive) or below its band, points times seconds. */
  readonly dwell: number;
  /** Evidence of voice, face and words, log-odds. */
  readonly expressed: number;
}

/** The band of a published score, 0..100. */
export function bandOf(score: number): Band {
  return bands.find(({ max_score }) => score <= max_score) ?? bands[4];
}

/**
 * Returns what is published at an instant: the fused value rounded, or held at the edge of the present band.
 * `held` is what was published as of the last strictly earlier instant; absent in a new session.
 */
export function publishScore(fused: Fused, held: Published | undefined, atMs: number): Published {
  const score = Math.round(fused.value);
  const base = { score, atMs, firstAtMs: held?.firstAtMs ?? atMs, dwell: 0, expressed: fused.expressed };
  if (!held) return base;
  const band = bandOf(held.score);
  const dwell = dwellOf(fused.value, held, atMs);
  if (bandOf(score) !== band && mayLeave(fused, score, held, dwell, atMs))
    return { ...base, bandSinceMs: atMs, scoreBefore: held.score };
  const { bandSinceMs, scoreBefore } = held;
  const heldScore = Math.min(Math.max(score, band.min_score), band.max_score);
  return { ...base, dwell, score: heldScore, ...(bandSinceMs !== undefined && { bandSinceMs, scoreBefore }) };
}

function mayLeave({ expressed }: Fused, score: number, held: Published, dwell: number, atMs: number): boolean {
  const { dwell_point_seconds, rise_seconds, dwell_seconds, settle_seconds, immediate_log_odds, silence_seconds } =
    stateHold;
  if (atMs - held.atMs >= silence_seconds * 1000) return true;
  const bandsUp = bandsApart(held.score, score);
  const isFresh = held.bandSinceMs !== undefined && atMs - held.bandSinceMs < rise_seconds * 1000;
  const from = isFresh ? Math.min(held.score, held.scoreBefore ?? held.score) : held.score;
  // Also applies if the band in between was published on the way.
  if (bandsUp > 0 && bandsApart(from, score) > 1) return true;
  if (Math.sign(bandsUp) * (expressed - held.expressed) >= immediate_log_odds) return true;
  const share = Math.min(1, (atMs - held.firstAtMs) / 1000 / settle_seconds);
  if (Math.sign(bandsUp) * dwell < share * dwell_point_seconds) return false;
  return held.bandSinceMs === undefined || atMs - held.bandSinceMs >= dwell_seconds * 1000;
}

function dwellOf(value: number, held: Published, atMs: number): number {
  const { min_score, max_score } = bandOf(held.score);
  const seconds = (atMs - held.atMs) / 1000;
  const above = Math.max(0, Math.max(0, held.dwell) + (value - max_score - 1 - stateHold.margin_points) * seconds);
  const below = Math.max(0, Math.max(0, -held.dwell) + (min_score - value - stateHold.margin_points) * seconds);
  return above > 0 ? above : -below;
}

/** Bands from one score to another: positive for a rise. */
function bandsApart(from: number, to: number): number {
  return bands.indexOf(bandOf(to)) - bands.indexOf(bandOf(from));
}
