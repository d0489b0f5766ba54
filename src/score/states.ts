import { bands, stateHold } from '../../generated/spec.js';
import { round3 } from './rounding.js';
import { addEvidence, type Assessment, toValue } from './stress.js';

export type Band = (typeof bands)[number];
type Fused = Pick<Assessment, 'value' | 'expressed'>;

/** Data that holds a published score in its band. */
export interface Hold {
  /**
   * Start of the present band, epoch ms. Absent if the session has had only one band, or if an earlier score started
   * the band.
   */
  readonly bandSinceMs?: number | undefined;
  /** Last score in the previous band. Present and absent together with `bandSinceMs`. */
  readonly scoreBefore?: number | undefined;
  /**
   * Distance of the fused value from its band, integrated over time (points × seconds). Positive above the band,
   * negative below. Absent for 0.
   */
  readonly dwell?: number | undefined;
  /** Evidence of voice, face and words, log-odds. It rises at once and fades with age. Absent for 0. */
  readonly expressed?: number | undefined;
}

/** The published state at one time. */
export interface Published extends Hold {
  readonly score: number;
  /** Time of publication, epoch ms. */
  readonly atMs: number;
}

/** A published score with the data that holds it in its band. */
export interface PublishedScore {
  readonly score: number;
  readonly hold: Hold;
}

/** Returns the band of a published score (0–100). */
export function bandOf(score: number): Band {
  return bands.find(({ max_score }) => score <= max_score) ?? bands[4];
}

/**
 * Returns the score published at `timestampMs`: the rounded fused value, or a score held at the edge of the present
 * band. `held` is the state published at the last strictly earlier timestamp. It is absent in a new session.
 * `firstAtMs` is the timestamp of the session's first reading.
 */
export function publishScore(
  fused: Fused,
  held: Published | undefined,
  atMs: number,
  firstAtMs = atMs,
): PublishedScore {
  const score = Math.round(fused.value);
  const lasting = lastingEvidence(fused, held, atMs);
  const expressed = round3(lasting) || undefined;
  if (!held) return { score, hold: { expressed } };
  const band = bandOf(held.score);
  const dwell = dwellOf(fused.value, addEvidence(fused.value, lasting - fused.expressed), held, atMs);
  const isAway = bandOf(score) !== band;
  if (isAway && (isImmediate(fused, score, held, atMs) || hasDwelt(dwell, score, held, { atMs, firstAtMs })))
    return { score, hold: { bandSinceMs: atMs, scoreBefore: held.score, expressed } };
  const heldScore = Math.min(Math.max(score, band.min_score), band.max_score);
  return { score: heldScore, hold: { dwell: dwell || undefined, expressed } };
}

/** Returns the published state before `atMs`, a timestamp later than the newest reading. */
export function passPublished({ score, hold }: PublishedScore, held: Published | undefined, atMs: number): Published {
  const { bandSinceMs, scoreBefore } = hold.bandSinceMs === undefined && held ? held : hold;
  return { score, atMs, bandSinceMs, scoreBefore, dwell: hold.dwell, expressed: hold.expressed };
}

/**
 * Returns the evidence of voice, face and words that counts for a fall. Stronger evidence of the last minutes fades
 * with its age, so that labels that alternate do not change the state each time.
 */
function lastingEvidence({ expressed }: Fused, held: Published | undefined, atMs: number): number {
  if (!held) return expressed;
  const left = 2 ** (-(atMs - held.atMs) / 1000 / stateHold.fade_half_life_seconds);
  return expressed + left * Math.max(0, (held.expressed ?? 0) - expressed);
}

function isImmediate({ expressed }: Fused, score: number, held: Published, atMs: number): boolean {
  const { rise_seconds, dwell_seconds, immediate_log_odds, silence_seconds } = stateHold;
  if (atMs - held.atMs >= silence_seconds * 1000) return true;
  if (bandsApart(held.score, score) < 0) return false;
  const bandMs = atMs - (held.bandSinceMs ?? -Infinity);
  const from = bandMs < rise_seconds * 1000 ? Math.min(held.score, held.scoreBefore ?? held.score) : held.score;
  // A fast rise of two bands counts as one rise, even if a score in the middle band was published first.
  if (bandsApart(from, score) > 1) return true;
  if (bandMs < dwell_seconds * 1000) return false;
  if (expressed - (held.expressed ?? 0) >= immediate_log_odds) return true;
  return expressed > 0 && bandsApart(score, Math.round(toValue(expressed))) >= 0;
}

function hasDwelt(
  dwell: number,
  score: number,
  held: Published,
  { atMs, firstAtMs }: { readonly atMs: number; readonly firstAtMs: number },
): boolean {
  const { dwell_point_seconds, dwell_seconds, settle_seconds } = stateHold;
  const share = Math.min(1, (atMs - firstAtMs) / 1000 / settle_seconds);
  if (Math.sign(score - held.score) * dwell < share * dwell_point_seconds) return false;
  return held.bandSinceMs === undefined || atMs - held.bandSinceMs >= dwell_seconds * 1000;
}

/** Integrates the distance from the band over time: `value` above the band, or `lasting` below the band. */
function dwellOf(value: number, lasting: number, held: Published, atMs: number): number {
  const { dwell = 0, score } = held;
  const { min_score, max_score } = bandOf(score);
  const seconds = (atMs - held.atMs) / 1000;
  const above = Math.max(0, Math.max(0, dwell) + (value - max_score - 1 - stateHold.margin_points) * seconds);
  const below = Math.max(0, Math.max(0, -dwell) + (min_score - lasting - stateHold.fall_margin_points) * seconds);
  return round3(above > 0 ? above : -below);
}

/** Returns the number of bands from one score to another. Positive for a rise. */
function bandsApart(from: number, to: number): number {
  return bands.indexOf(bandOf(to)) - bands.indexOf(bandOf(from));
}
