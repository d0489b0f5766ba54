import { staleAfterMs } from './evidence.js';
import { bands } from './generated/contract.js';
import { stateHold, stressModel as model } from './model.js';
import type { BandHold, PublishedState, ScorePoints, Session } from './rows/session.js';
import type { Signals, State } from './rows/values.js';
import { round3 } from './rows/values.js';
import { evidenceCategories } from './signals.js';
import { addLogOdds, addToStress, type FusedStress, isOfOtherSession, toEvidence, toStressValue } from './stress.js';

export type Band = (typeof bands)[number];
type Fused = Pick<FusedStress, 'value' | 'expressed'> & Partial<Pick<FusedStress, 'words' | 'isAnswered' | 'newness'>>;

/** A published score with the data that holds it in its band. */
export interface PublishedScore {
  readonly score: number;
  readonly hold: BandHold;
}

/** Returns the band of a published score (0–100). */
export function findBand(score: number): Band {
  return bands.find(({ max_score }) => score <= max_score) ?? bands[4];
}

/**
 * Returns the score published at `timestampMs`: the rounded fused value, or a score held at the edge of the present
 * band. `held` is the state published at the last strictly earlier timestamp. It is absent in a new session.
 * `firstAtMs` is the timestamp of the session's first reading.
 */
export function publishScore(
  fused: Fused,
  held: PublishedState | undefined,
  atMs: number,
  firstAtMs = atMs,
): PublishedScore {
  const score = Math.round(fused.value);
  const lasting = lastingEvidence(fused, held, atMs);
  const expressed = round3(lasting) || undefined;
  const words = round3(fused.words ?? 0) || undefined;
  if (!held) return { score, hold: { expressed, words } };
  const band = findBand(held.score);
  const dwell = integrateDwell(fused, addToStress(fused.value, lasting - fused.expressed), held, atMs);
  const isAway = findBand(score) !== band;
  if (isAway && (isImmediate(fused, score, held, atMs) || hasDwelt(dwell, score, held, { atMs, firstAtMs })))
    return { score, hold: { bandSinceMs: atMs, scoreBefore: held.score, expressed, words } };
  const heldScore = Math.min(Math.max(score, band.min_score), band.max_score);
  return { score: heldScore, hold: { dwell: dwell || undefined, expressed, words } };
}

/** Returns the published state before `atMs`, a timestamp later than the newest reading. */
export function computePublishedBefore(
  { score, hold }: PublishedScore,
  held: PublishedState | undefined,
  atMs: number,
): PublishedState {
  const { bandSinceMs, scoreBefore } = hold.bandSinceMs === undefined && held ? held : hold;
  const { dwell, expressed, words } = hold;
  return { score, atMs, bandSinceMs, scoreBefore, dwell, expressed, words };
}

/**
 * Returns the evidence of voice, face and words that counts for a fall. Stronger evidence of the last minutes fades
 * with its age, so that labels that alternate do not change the state each time. Words that calmer signals follow count
 * only with their own age.
 */
function lastingEvidence(fused: Fused, held: PublishedState | undefined, atMs: number): number {
  const { expressed, words = 0, isAnswered } = fused;
  if (!held) return expressed;
  const left = 2 ** (-(atMs - held.atMs) / 1000 / stateHold.fade_half_life_seconds);
  const [before, now] = isAnswered ? [held.words ?? 0, words] : [0, 0];
  return expressed + left * Math.max(0, (held.expressed ?? 0) - before - (expressed - now));
}

function isImmediate({ expressed }: Fused, score: number, held: PublishedState, atMs: number): boolean {
  const { rise_seconds, dwell_seconds, immediate_log_odds, silence_seconds } = stateHold;
  if (atMs - held.atMs >= silence_seconds * 1000) return true;
  if (bandsApart(held.score, score) < 0) return false;
  const bandMs = atMs - (held.bandSinceMs ?? -Infinity);
  const from = bandMs < rise_seconds * 1000 ? Math.min(held.score, held.scoreBefore ?? held.score) : held.score;
  // A fast rise of two bands counts as one rise, even if a score in the middle band was published first.
  if (bandsApart(from, score) > 1) return true;
  if (bandMs < dwell_seconds * 1000) return false;
  if (expressed - (held.expressed ?? 0) >= immediate_log_odds) return true;
  return expressed > 0 && bandsApart(score, Math.round(toStressValue(expressed))) >= 0;
}

function hasDwelt(
  dwell: number,
  score: number,
  held: PublishedState,
  { atMs, firstAtMs }: { readonly atMs: number; readonly firstAtMs: number },
): boolean {
  const { dwell_point_seconds, dwell_seconds, settle_seconds } = stateHold;
  const share = Math.min(1, (atMs - firstAtMs) / 1000 / settle_seconds);
  if (Math.sign(score - held.score) * dwell < share * dwell_point_seconds) return false;
  return held.bandSinceMs === undefined || atMs - held.bandSinceMs >= dwell_seconds * 1000;
}

/** Integrates the distance from the band over time: `value` above the band, or `lasting` below the band. */
function integrateDwell({ value, newness = 0 }: Fused, lasting: number, held: PublishedState, atMs: number): number {
  const { dwell = 0, score } = held;
  const { min_score, max_score } = findBand(score);
  const seconds = (atMs - held.atMs) / 1000;
  const { margin_points, fall_margin_points, sparse_dwell_factor } = stateHold;
  const sparse = rateSparseness(seconds) * newness;
  const rise =
    (value - max_score - 1 - (1 - sparse) * margin_points) * seconds * (1 + (sparse_dwell_factor - 1) * sparse);
  const above = Math.max(0, Math.max(0, dwell) + rise);
  const below = Math.max(0, Math.max(0, -dwell) + (min_score - lasting - fall_margin_points) * seconds);
  return round3(above > 0 ? above : -below);
}

/** Returns how sparse readings are, 0–1. Each of them then represents so much time that it is hardly noise. */
function rateSparseness(seconds: number): number {
  const { sparse_from_seconds, sparse_seconds } = stateHold;
  return Math.min(1, Math.max(0, (seconds - sparse_from_seconds) / (sparse_seconds - sparse_from_seconds)));
}

/** Returns true if a score at a time continues the published state: its band is the same, and its evidence is not stale. */
export function isSameState(held: PublishedState, score: number, atMs: number): boolean {
  return findBand(held.score) === findBand(score) && atMs - held.atMs < staleAfterMs;
}

/** Returns the number of bands from one score to another. Positive for a rise. */
function bandsApart(from: number, to: number): number {
  return bands.indexOf(findBand(to)) - bands.indexOf(findBand(from));
}

/** Points of a score by name, in the order in which a response shows them. */
export type Contributions = Required<Pick<ScorePoints, 'held'>> & ScorePoints & { readonly neutral: number };

/**
 * Returns the integer points of a published score. The points of a signal are its share of the evidence times the distance
 * of the computed value from the neutral start. They are rounded by largest remainder, so that all of them with `held` and
 * the neutral start are exactly the score.
 */
export function computePoints(
  { drivers, value }: Pick<FusedStress, 'drivers' | 'value'>,
  signals: Signals,
  score: number,
): ScorePoints {
  const perLogOdds = computeSlope(addLogOdds(drivers), value);
  const exact: Record<string, number> = { neutral: toStressValue(0) };
  for (const driver of drivers) {
    const name = isOfOtherSession(driver, signals) ? 'other_session' : evidenceCategories[driver.evidence];
    exact[name] = (exact[name] ?? 0) + perLogOdds * driver.logOdds;
  }
  const computed = Math.round(value);
  const { neutral: _, ...points } = roundToSum(exact, computed);
  return score === computed ? points : { ...points, held: score - computed };
}

/** Returns the points per unit of evidence. If all evidence adds up to nothing, that of the smallest evidence. */
function computeSlope(total: number, value: number): number {
  const start = toStressValue(0);
  const share = start / model.score_max;
  return Math.abs(total) < 1e-9 ? start * (1 - share) : (value - start) / total;
}

/** Rounds numbers down, and those with the largest remainders up, so that they add up to `sum`: their rounded sum. */
function roundToSum(exact: Readonly<Record<string, number>>, sum: number): Record<string, number> {
  const rounded: Record<string, number> = {};
  const rests: Record<string, number> = {};
  let left = sum;
  for (const name in exact) {
    const points = exact[name] ?? 0;
    const whole = (rounded[name] = Math.floor(points));
    rests[name] = points - whole;
    left -= whole;
  }
  // Few points are left, so each search for the largest remainder is cheaper than sorting.
  for (; left > 0; left -= 1) {
    const raised = findLargest(rests);
    rounded[raised] = (rounded[raised] ?? 0) + 1;
    rests[raised] = -1;
  }
  return rounded;
}

/** Returns the name of the largest number, the first one of equals. */
function findLargest(numbers: Readonly<Record<string, number>>): string {
  let [largest, most] = ['', -Infinity];
  for (const name in numbers) if ((numbers[name] ?? 0) > most) [largest, most] = [name, numbers[name] ?? 0];
  return largest;
}

/** Returns the points of a score with the neutral start, whose sum is the score. */
export function listContributions({ held = 0, ...points }: ScorePoints, score: number): Contributions {
  const others = Object.values(points).reduce((sum, it) => sum + it, held);
  return { neutral: score - others, ...points, held };
}

/** A score without one of its parts. `evidence` says that the other parts are none, or words that say nothing. */
export interface ScoreWithout {
  readonly score: number;
  readonly evidence?: 'none' | 'weak' | undefined;
}

/** Returns the score without each part, from the evidence of the others before the hold. The inverse of `computePoints`. */
export function scoreWithoutParts({ held = 0, ...parts }: ScorePoints, score: number): Record<string, ScoreWithout> {
  // The score of much evidence is rounded to the end of the scale, which only infinite evidence reaches.
  const value = Math.min(model.score_max - 0.5, Math.max(0.5, score - held));
  const total = toEvidence(value);
  const perLogOdds = computeSlope(total, value);
  const entries = Object.entries(parts).map(([name, points]) => {
    const others = Object.entries(parts).filter(([it]) => it !== name);
    const isWeak = others.every(([it, left]) => it === 'textual' && left === 0);
    const evidence: ScoreWithout['evidence'] = others.length === 0 ? 'none' : isWeak ? 'weak' : undefined;
    const left = others.length === 0 ? 0 : total - points / perLogOdds;
    return [name, { score: Math.round(toStressValue(left)), ...(evidence && { evidence }) }] as const;
  });
  return Object.fromEntries(entries);
}

/** A change of the published state. */
export interface StateChange {
  event: 'state_change';
  session_id: string;
  previous_state: State;
  new_state: State;
  stress_score: number;
  /** RFC 3339 in UTC, to the millisecond. */
  timestamp: string;
}

/** A session event in the format that receivers get. `seq` increases with each event of the session. */
export interface SessionEvent {
  readonly sessionId: string;
  readonly seq: number;
  /** Absent if the session has no subject. */
  readonly subjectId?: string | undefined;
  readonly payload: StateChange;
}

/**
 * Returns the state change between two readings. Undefined if the state is the same, for the first reading of a session,
 * without evidence, and from a prior.
 */
export function findChange(sessionId: string, before: Session | undefined, after: Session): StateChange | undefined {
  if (!before || before.latest.isPrior || after.latest.confidence === 0) return undefined;
  const [previous, next] = [findBand(before.latest.score).state, findBand(after.latest.score).state];
  if (previous === next) return undefined;
  return {
    event: 'state_change',
    session_id: sessionId,
    previous_state: previous,
    new_state: next,
    stress_score: after.latest.score,
    timestamp: new Date(after.latest.timestampMs).toISOString(),
  };
}

/**
 * Returns the number of the session's next event, always higher than the last one. The first number is the current time,
 * epoch ms. The numbers of a restarted session with the same id are therefore higher than those of the earlier session,
 * unless that one had more than one event per ms.
 */
export function computeNextSeq(session: Session | undefined, nowMs: number): number {
  return Math.max((session?.eventSeq ?? 0) + 1, nowMs);
}
