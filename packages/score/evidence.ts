import { stressModel as model } from './model.js';
import { computeLearnedShare } from './resting.js';
import { round3, type Sample, type Signals, type SignalValue } from './rows/values.js';
import type { TypicalHeartRate, TypicalValue, TypicalValues } from './situation.js';

type Tone = SignalValue<'tone'>;

/** Evidence that raises the sum of all evidence up to `total` at most, in log-odds. */
export interface BoundedEvidence {
  readonly name: 'tone' | 'expression';
  readonly logOdds: number;
  readonly total: number;
  /** True for a label of concentrated work. */
  readonly isLoad: boolean;
}

/**
 * Returns two kinds of evidence: labels of concentrated work, and a stressful tone that repeats `agreeing` earlier
 * tones.
 */
export function listBoundedEvidence({ tone, expression }: Signals, agreeing = 0): BoundedEvidence[] {
  const bounded: BoundedEvidence[] = [];
  const add = (name: BoundedEvidence['name'], logOdds: number, total: number, isLoad: boolean) => {
    if (logOdds > 0) bounded.push({ name, logOdds, total, isLoad });
  };
  add('tone', loadLogOdds(tone?.value), model.load.total_log_odds_max, true);
  add('expression', loadLogOdds(expression?.value), model.load.total_log_odds_max, true);
  const repeated = tone && isStressfulTone(tone.value) ? repetitionLogOdds(tone.value, agreeing) : 0;
  add('tone', repeated, model.repetition.total_log_odds_max, false);
  return bounded;
}

function loadLogOdds(label = ''): number {
  const logOdds: Readonly<Partial<Record<string, number>>> = model.load.log_odds;
  return logOdds[label] ?? 0;
}

/** Returns the evidence that agreeing tones add. They are as reliable as several raters (Spearman-Brown). */
function repetitionLogOdds(tone: Tone, agreeing: number): number {
  const { tone: single } = model.reliability;
  const together = ((1 + agreeing) * single) / (1 + agreeing * single);
  return computeLabelLogOdds(model.tone_points[tone], together - single);
}

/**
 * Returns how many tones before `newest` agree with a stressful tone. `before` is the previous tone, and `agreeing` is
 * the number that was returned for it. A stressful previous tone adds its duration in ratings, at most one. Another
 * previous tone subtracts its duration.
 */
export function countAgreeingTones(
  before: Sample<Tone> | undefined,
  newest: Sample<Tone> | undefined,
  agreeing = 0,
): number | undefined {
  const { rating_seconds, ratings_max } = model.repetition;
  const gapMs = before && newest ? newest.atMs - before.atMs : 0;
  if (!before || gapMs === 0) return agreeing || undefined;
  if (weighByAge(gapMs) === 0) return undefined;
  const rating = Math.min(1, gapMs / 1000 / rating_seconds);
  const sum = round3(agreeing + (isStressfulTone(before.value) ? rating : -rating));
  return Math.min(ratings_max - 1, Math.max(0, sum)) || undefined;
}

function isStressfulTone(tone: Tone): boolean {
  return model.tone_points[tone] >= model.repetition.from_points;
}

/**
 * Returns the evidence of a heart rate `riseBpm` above the typical heart rate, in log-odds. Weak near the typical heart
 * rate, strong above the rises of everyday life, bounded for high rises. Evidence per bpm increases with `known`.
 */
export function computeHeartRateEvidence(riseBpm: number, typical: TypicalHeartRate): number {
  const { log_odds_per_bpm_below, log_odds_per_bpm_near, cold_log_odds_per_bpm_near } = model.heart_rate;
  const { log_odds_max, stressed_rise_bpm } = model.heart_rate;
  const { raised_from_bpm, log_odds_per_bpm, cold_raised_from_bpm, cold_log_odds_per_bpm, known_exponent } =
    model.heart_rate;
  const { stressedRiseBpm } = typical;
  const known = typical.known ** known_exponent;
  const from = cold_raised_from_bpm + known * (raised_from_bpm - cold_raised_from_bpm);
  const slope = cold_log_odds_per_bpm + known * (log_odds_per_bpm - cold_log_odds_per_bpm);
  const rise = (Math.max(0, riseBpm) * stressed_rise_bpm) / stressedRiseBpm;
  const below = log_odds_per_bpm_below * Math.min(0, riseBpm);
  const nearSlope = cold_log_odds_per_bpm_near + known * (log_odds_per_bpm_near - cold_log_odds_per_bpm_near);
  const near = nearSlope * (Math.min(rise, from) - from);
  return saturate(below + near + slope * Math.max(0, rise - from), log_odds_max) - calmEvidence(riseBpm, typical);
}

/** Returns the evidence for calm of a heart rate among the lowest of the person's day, at least 0, in log-odds. */
function calmEvidence(riseBpm: number, { value, restingBpm, learnedSeconds }: TypicalHeartRate): number {
  const { calm_log_odds, calm_from_bpm, calm_full_bpm } = model.heart_rate;
  const aboveResting = value + riseBpm - restingBpm;
  const share = Math.min(1, Math.max(0, (calm_from_bpm - aboveResting) / (calm_from_bpm - calm_full_bpm)));
  return calm_log_odds * share * computeLearnedShare(learnedSeconds, model.baseline.typical_weight_seconds);
}

/** Returns how far heart rate variability is below the typical value, in ln ms: the weighted mean of SDNN and RMSSD. */
export function computeVariabilityDrop(
  { sdnn, rmssd }: Signals,
  typical: TypicalValues,
  weightOf: (atMs: number) => number,
): { readonly drop: number; readonly weight: number; readonly known: number } {
  const compare = ({ value, atMs }: Sample<number>, { value: own, known }: TypicalValue) => ({
    drop: own - Math.log(value),
    weight: weightOf(atMs),
    known,
  });
  const measures = [...(sdnn ? [compare(sdnn, typical.sdnn)] : []), ...(rmssd ? [compare(rmssd, typical.rmssd)] : [])];
  const total = measures.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return { drop: 0, weight: 0, known: 0 };
  const drop = measures.reduce((sum, measure) => sum + measure.drop * measure.weight, 0) / total;
  const known = measures.reduce((sum, measure) => sum + measure.known * measure.weight, 0) / total;
  return { drop, known, weight: Math.max(...measures.map(({ weight }) => weight)) };
}

/**
 * Returns the evidence of a heart rate variability `drop` below the typical value, in log-odds. A variability well
 * above a person's own typical value is clear evidence for calm.
 */
export function computeVariabilityEvidence(drop: number, known: number): number {
  const { log_odds_per_ln, log_odds_max, calm_from_ln, calm_log_odds_per_ln, calm_log_odds_max } = model.hrv;
  const calm = saturate(calm_log_odds_per_ln * Math.max(0, -drop - calm_from_ln), calm_log_odds_max);
  return saturate(log_odds_per_ln * drop, log_odds_max) - known * calm;
}

/** Age at which a signal is stale, in ms. A session whose newest reading is older has ended. */
export const staleAfterMs = model.age.stale_after_seconds * 1000;

/** Returns true if a value measured at a time counts at another time, both in epoch ms. */
export function isFresh({ atMs: measuredMs }: Pick<Sample<unknown>, 'atMs'>, atMs: number): boolean {
  return atMs - measuredMs < staleAfterMs;
}

/**
 * Returns the weight of a signal by its age, in ms: 1 when fresh, halved per half-life, 0 when stale. Strictly
 * decreasing.
 */
export function weighByAge(ageMs: number): number {
  const seconds = Math.max(0, ageMs / 1000);
  return seconds >= model.age.stale_after_seconds ? 0 : 2 ** (-seconds / model.age.half_life_seconds);
}

/** Returns the share of a confidence that remains at a weight of its newest signal: all of it for the first seconds. */
export function rateFreshness(weight: number): number {
  return Math.min(1, weight * 2 ** (model.age.fresh_seconds / model.age.half_life_seconds));
}

/** Limits the evidence of one signal to ±max. Changes values near 0 very little. */
function saturate(logOdds: number, max: number): number {
  return max * Math.tanh(logOdds / max);
}

/**
 * Converts the rating of a label's word (Warriner et al. 2013), relative to "neutral", to log-odds. The word with the
 * highest rating gets the full reliability of its signal.
 */
export function computeLabelLogOdds(points: number, reliability: number): number {
  return (model.label_log_odds * reliability * (points - model.label_neutral_points)) / model.label_span_points;
}
