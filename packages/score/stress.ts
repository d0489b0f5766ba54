import {
  weighByAge,
  listBoundedEvidence,
  type BoundedEvidence,
  computeHeartRateEvidence,
  computeVariabilityDrop,
  computeVariabilityEvidence,
} from './evidence.js';
import { stressModel as model } from './model.js';
import { computeLearnedShare } from './resting.js';
import type { Signals } from './rows/values.js';
import { evidenceCategories, type EvidenceName, type LabelName, labelNames, labels, neutralWords } from './signals.js';
import type { HeartRateLevel, RaisedHeart, ScoreInput, TypicalValues } from './situation.js';

/** Result of fusing the signals of a session at one time. */
export interface FusedStress {
  /** Fused stress, 0..100, unrounded. */
  readonly value: number;
  /** Evidence of voice, face and words, in log-odds. */
  readonly expressed: number;
  /** The part of `expressed` that words have, in log-odds. */
  readonly words: number;
  /** True if newer signals of voice, heart or face follow the words, and are no evidence for stress. */
  readonly isAnswered: boolean;
  /** Evidence of heart rate and variability, in log-odds. */
  readonly heart: number;
  /** Share of the heart rate's rise that movement explains, 0–1. */
  readonly explained: number;
  /** 1 for a person whose heart rate is unknown, falling to 0 over hours. */
  readonly newness: number;
  /** False if no signal is fresh, or movement explains the heart rate. */
  readonly hasEvidence: boolean;
  /** True if all that counts is words in which nothing stands out. Absent otherwise. */
  readonly isWeak?: true;
  /** All evidence that is not stale, strongest first. */
  readonly drivers: readonly Driver[];
}

/** The evidence of one signal in a score. */
export interface Driver {
  readonly evidence: EvidenceName;
  /** Evidence for stress weighted by age, in log-odds. Negative is evidence for calm. */
  readonly logOdds: number;
  /** Weight by age, 0–1. */
  readonly weight: number;
  /**
   * Difference of heart rate variability to the typical value, in ln ms. Positive if the variability is lower. Absent for
   * other signals.
   */
  readonly drop?: number;
  /** How much the variability is below half of the person's own level, 0–1. Absent for other signals. */
  readonly fall?: number;
  /** Rise above the last quiet minutes, in bpm. Present if the evidence of a heart rate follows from this rise. */
  readonly suddenBpm?: number | undefined;
}

/**
 * Fuses the newest signals into one stress value: the logistic function of a neutral start plus the sum of their
 * log-odds, each weighted by age. Evidence for calm counts less than evidence for stress. Returns the neutral value if
 * no signal is fresh.
 */
export function fuseEvidence(situation: ScoreInput, atMs: number): FusedStress {
  const drivers = collectDrivers(situation, atMs);
  let expressed = 0;
  for (const it of drivers) if (isExpressed(it.evidence)) expressed += it.logOdds;
  const total = addLogOdds(drivers);
  const { learnedSeconds } = situation.typical.heart_rate;
  const explained = computeExplainedShare(situation);
  let [hasEvidence, hasWords] = [false, false];
  for (const it of drivers) {
    const counted = it.weight * (it.evidence === 'heart_rate' ? 1 - explained : 1);
    if (counted < model.confidence.evidence_min) continue;
    if (isNeutralWords(it, situation.signals)) hasWords = true;
    else hasEvidence = true;
  }
  return {
    value: toStressValue(total),
    expressed,
    ...describeWords(drivers, situation),
    heart: total - expressed,
    explained,
    newness: 1 - computeLearnedShare(learnedSeconds, model.baseline.new_weight_seconds),
    hasEvidence: hasEvidence || hasWords,
    ...(hasWords && !hasEvidence && { isWeak: true }),
    drivers: drivers.sort((a, b) => Math.abs(b.logOdds) - Math.abs(a.logOdds)),
  };
}

/** Returns the stress value, 0–100, of evidence, in log-odds. */
export function toStressValue(evidence: number): number {
  const logOdds = model.neutral_log_odds + evidence * (evidence < 0 ? model.calm_share : 1);
  return model.score_max / (1 + Math.exp(-logOdds));
}

/** Returns the stress value with more evidence, in log-odds. */
export function addToStress(value: number, more: number): number {
  return more === 0 ? value : toStressValue(toEvidence(value) + more);
}

/** Returns the evidence of a stress value, in log-odds. */
export function toEvidence(value: number): number {
  const evidence = Math.log(value / (model.score_max - value)) - model.neutral_log_odds;
  return evidence / (evidence < 0 ? model.calm_share : 1);
}

/** Returns the evidence of words, and whether newer signals answer it. */
function describeWords(drivers: readonly Driver[], { signals }: ScoreInput): Pick<FusedStress, 'words' | 'isAnswered'> {
  let [words, saidMs] = [0, -Infinity];
  for (const it of drivers) {
    if (!isWords(it)) continue;
    words += it.logOdds;
    saidMs = Math.max(saidMs, findMeasuredTime(it, signals));
  }
  let [newer, count] = [0, 0];
  for (const it of drivers) {
    if (isWords(it) || findMeasuredTime(it, signals) <= saidMs) continue;
    newer += it.logOdds;
    count += 1;
  }
  return { words, isAnswered: count > 0 && newer <= 0 };
}

const isWords = ({ evidence }: Driver): boolean => evidenceCategories[evidence] === 'textual';

/** Returns true for words in which nothing stands out. They are no evidence of calm. */
export function isNeutralWords({ evidence }: Pick<Driver, 'evidence'>, { sentiment }: Signals): boolean {
  return evidence === 'sentiment' && sentiment !== undefined && Math.abs(sentiment.value) <= neutralWords;
}

/** Returns the time of the signals of a driver, in epoch ms. */
export function findMeasuredTime({ evidence }: Driver, signals: Signals): number {
  if (evidence === 'hrv') return Math.max(signals.sdnn?.atMs ?? 0, signals.rmssd?.atMs ?? 0);
  return signals[evidence]?.atMs ?? 0;
}

function isExpressed(evidence: EvidenceName): boolean {
  return evidenceCategories[evidence] !== 'cardiovascular';
}

function collectDrivers(situation: ScoreInput, atMs: number): Driver[] {
  const weightOf = (measuredMs: number) => weighByAge(atMs - measuredMs);
  const expressed = labelNames.flatMap((name) => labelDriver(name, situation, weightOf));
  const bounded = listBoundedEvidence(situation.signals, situation.agreeingTones);
  const loads = expressed.filter((it) => bounded.some(({ name, isLoad }) => isLoad && name === it.evidence));
  const load = loads.reduce((most, { weight }) => Math.max(most, weight), 0);
  return addFall(bounded.reduce(addBounded, [...heartDrivers(situation, load, weightOf), ...expressed]));
}

/** Raises the score by some points, at most to `focused`, if variability is below half of the person's own level. */
function addFall(drivers: Driver[]): Driver[] {
  const { fall_points, fall_score_max } = model.hrv;
  if (!drivers.some(({ fall = 0 }) => fall > 0)) return drivers;
  const total = addLogOdds(drivers);
  const value = toStressValue(total);
  return drivers.map((it) => {
    const raised = Math.min(fall_score_max, value + fall_points * (it.fall ?? 0));
    return raised > value ? { ...it, logOdds: it.logOdds + toEvidence(raised) - total } : it;
  });
}

/** Returns the evidence of heart rate and variability. `load` is the weight of labels of concentrated work, 0–1. */
function heartDrivers(
  { signals, typical, heart, explainedBpm, raised }: ScoreInput,
  load: number,
  weightOf: (measuredMs: number) => number,
): Driver[] {
  const drivers: Driver[] = [];
  if (signals.heart_rate && heart) {
    const weight = weightOf(signals.heart_rate.atMs);
    const calmer = raised ? withoutCause(heart, raised) : heart;
    const level = load > 0 ? withoutLoad(calmer, typical, load) : calmer;
    const logOdds = weight * weighHeart(level, typical, Math.max(0, explainedBpm - (raised?.explainedBpm ?? 0)));
    const suddenBpm = decidingRise(level, typical);
    if (weight > 0) drivers.push({ evidence: 'heart_rate', weight, logOdds, suddenBpm });
  }
  const { drop, weight, known } = computeVariabilityDrop(signals, typical, weightOf);
  const room = model.heart_rate.log_odds_with_hrv_max - addLogOdds(drivers);
  const rise = heart ? drivers.reduce((sum, it) => sum + it.weight * (heart.bpm - typical.heart_rate.value), 0) : 0;
  const logOdds = weight * computeVariabilityEvidence(drop, known * restShare(rise));
  const { fall_from_ln, fall_full_ln } = model.hrv;
  const fall = weight * known * Math.min(1, Math.max(0, (drop - fall_from_ln) / (fall_full_ln - fall_from_ln)));
  if (weight > 0) drivers.push({ evidence: 'hrv', drop, fall, weight, logOdds: Math.min(room, logOdds) });
  return drivers;
}

function labelDriver<N extends LabelName>(
  name: N,
  { signals }: ScoreInput,
  weightOf: (atMs: number) => number,
): Driver[] {
  const sample = signals[name];
  const weight = sample ? weightOf(sample.atMs) : 0;
  return sample && weight > 0 ? [{ evidence: name, weight, logOdds: weight * labels[name].weigh(sample.value) }] : [];
}

function addBounded(drivers: Driver[], { name, logOdds, total }: BoundedEvidence): Driver[] {
  const room = Math.max(0, total - addLogOdds(drivers));
  const raise = (it: Driver) => ({ ...it, logOdds: it.logOdds + Math.min(room, it.weight * logOdds) });
  return drivers.map((it) => (it.evidence === name ? raise(it) : it));
}

/**
 * Returns the heart rate level without the rise that concentrated work explains. A sudden rise may be the start of the
 * work.
 */
function withoutLoad(heart: HeartRateLevel, { heart_rate }: TypicalValues, load: number): HeartRateLevel {
  const explained = Math.min(load * model.load.rise_bpm, Math.max(0, heart.bpm - heart_rate.value));
  return { ...heart, bpm: heart.bpm - explained, suddenBpm: undefined };
}

/** Returns the heart rate level without the part of its rise that stress does not explain. */
function withoutCause(heart: HeartRateLevel, { explainedBpm }: RaisedHeart): HeartRateLevel {
  return explainedBpm > 0 ? { ...heart, bpm: heart.bpm - explainedBpm, suddenBpm: undefined } : heart;
}

/** Returns the share of the heart rate's rise that its likely cause explains, 0–1. */
export function computeCauseShare({ heart, typical, raised }: Omit<ScoreInput, 'signals'>): number {
  const rise = (heart?.bpm ?? 0) - typical.heart_rate.value;
  return raised && rise > 0 ? Math.min(1, raised.explainedBpm / rise) : 0;
}

/** Returns true if a value of another session of the person is part of the evidence. */
export function isOfOtherSession({ evidence }: Pick<Driver, 'evidence'>, signals: Signals): boolean {
  const samples = evidence === 'hrv' ? [signals.sdnn, signals.rmssd] : [signals[evidence]];
  return samples.some((it) => it?.sessionId !== undefined);
}

export function addLogOdds(drivers: readonly Driver[]): number {
  let total = 0;
  for (const { logOdds } of drivers) total += logOdds;
  return total;
}

/** Returns 1 up to the typical heart rate, falling to 0 where a raised heart rate starts. */
function restShare(riseBpm: number): number {
  return Math.min(1, Math.max(0, 1 - riseBpm / model.heart_rate.raised_from_bpm));
}

/** Returns the evidence of a heart rate level, in log-odds. A sudden rise is at least stressed. */
function levelEvidence(heart: HeartRateLevel, typical: TypicalValues): number {
  if (decidingRise(heart, typical) !== undefined) return model.sudden_rise.log_odds;
  return computeHeartRateEvidence(heart.bpm - typical.heart_rate.value, typical.heart_rate);
}

/** Returns a sudden rise in bpm, if it is stronger evidence than the distance to the typical heart rate. */
function decidingRise({ bpm, suddenBpm }: HeartRateLevel, { heart_rate }: TypicalValues): number | undefined {
  if (suddenBpm === undefined) return undefined;
  return computeHeartRateEvidence(bpm - heart_rate.value, heart_rate) < model.sudden_rise.log_odds
    ? suddenBpm
    : undefined;
}

/**
 * Returns the evidence of the heart rate, in log-odds. Movement reduces evidence for stress. An unconfirmed jump
 * reduces evidence for calm.
 */
function weighHeart(heart: HeartRateLevel, typical: TypicalValues, explainedBpm: number): number {
  const logOdds = levelEvidence(heart, typical);
  if (logOdds > 0) return logOdds * (1 - computeExplainedShare({ heart, typical, explainedBpm }));
  return logOdds * (heart.isConfirmed ? 1 : model.confidence.unconfirmed_share);
}

/** Returns the share of the heart rate's rise that movement explains, 0–1. */
export function computeExplainedShare({ heart, typical, explainedBpm }: Omit<ScoreInput, 'signals'>): number {
  const rise = (heart?.bpm ?? 0) - typical.heart_rate.value;
  return rise > 0 ? Math.min(1, explainedBpm / rise) : 0;
}

/**
 * Returns true if movement explains most of the heart rate's rise. The baseline then does not learn from the heart
 * rate.
 */
export function isExertion(situation: Omit<ScoreInput, 'signals'>): boolean {
  return computeExplainedShare(situation) > model.movement.learned_share_max;
}
