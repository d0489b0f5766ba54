import {
  weighByAge,
  listBoundedEvidence,
  type BoundedEvidence,
  computeHeartRateEvidence,
  computeVariabilityDrop,
  computeVariabilityEvidence,
} from './evidence.js';
import { stressModel as model } from './model.js';
import { isLikelyAnotherPerson } from './movement.js';
import { computeLearnedShare } from './resting.js';
import type { SignalCategory, Signals } from './rows/values.js';
import { evidenceCategories, type EvidenceName, type LabelName, labelNames, labels } from './signals.js';
import type { HeartRateLevel, ScoreInput, TypicalHeartRate, TypicalValues } from './situation.js';

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
  /** Confidence, 0–1, two decimals. 0 without evidence: no signal is fresh, or movement explains the heart rate. */
  readonly confidence: number;
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
  const expressed = addLogOdds(drivers.filter(({ evidence }) => isExpressed(evidence)));
  const total = addLogOdds(drivers);
  const { learnedSeconds } = situation.typical.heart_rate;
  return {
    value: toStressValue(total),
    expressed,
    ...describeWords(drivers, situation),
    heart: total - expressed,
    explained: computeExplainedShare(situation),
    newness: 1 - computeLearnedShare(learnedSeconds, model.baseline.typical_weight_seconds),
    confidence: rateConfidence(drivers, situation),
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
function toEvidence(value: number): number {
  const evidence = Math.log(value / (model.score_max - value)) - model.neutral_log_odds;
  return evidence / (evidence < 0 ? model.calm_share : 1);
}

/** Returns the evidence of words, and whether newer signals answer it. */
function describeWords(drivers: readonly Driver[], { signals }: ScoreInput): Pick<FusedStress, 'words' | 'isAnswered'> {
  const isWords = ({ evidence }: Driver) => evidenceCategories[evidence] === 'textual';
  const measuredMs = ({ evidence }: Driver) =>
    evidence === 'hrv' ? Math.max(signals.sdnn?.atMs ?? 0, signals.rmssd?.atMs ?? 0) : (signals[evidence]?.atMs ?? 0);
  const words = drivers.filter(isWords);
  const saidMs = Math.max(...words.map(measuredMs));
  const newer = drivers.filter((it) => !isWords(it) && measuredMs(it) > saidMs);
  return { words: addLogOdds(words), isAnswered: newer.length > 0 && addLogOdds(newer) <= 0 };
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
  const total = addLogOdds(drivers);
  const value = toStressValue(total);
  return drivers.map((it) => {
    const raised = Math.min(fall_score_max, value + fall_points * (it.fall ?? 0));
    return raised > value ? { ...it, logOdds: it.logOdds + toEvidence(raised) - total } : it;
  });
}

/** Returns the evidence of heart rate and variability. `load` is the weight of labels of concentrated work, 0–1. */
function heartDrivers(
  { signals, typical, heart, explainedBpm }: ScoreInput,
  load: number,
  weightOf: (measuredMs: number) => number,
): Driver[] {
  const drivers: Driver[] = [];
  if (signals.heart_rate && heart) {
    const weight = weightOf(signals.heart_rate.atMs);
    const level = load > 0 ? withoutLoad(heart, typical, load) : heart;
    const logOdds = weight * weighHeart(level, typical, explainedBpm);
    const suddenBpm = decidingRise(level, typical);
    if (weight > 0) drivers.push({ evidence: 'heart_rate', weight, logOdds, suddenBpm });
  }
  const { drop, weight, known } = computeVariabilityDrop(signals, typical, weightOf);
  const room = model.heart_rate.log_odds_with_hrv_max - addLogOdds(drivers);
  const raised = heart ? drivers.reduce((sum, it) => sum + it.weight * (heart.bpm - typical.heart_rate.value), 0) : 0;
  const logOdds = weight * computeVariabilityEvidence(drop, known * restShare(raised));
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

/** Returns true if a value of another session of the person is part of the evidence. */
export function isOfOtherSession({ evidence }: Pick<Driver, 'evidence'>, signals: Signals): boolean {
  const samples = evidence === 'hrv' ? [signals.sdnn, signals.rmssd] : [signals[evidence]];
  return samples.some((it) => it?.sessionId !== undefined);
}

export function addLogOdds(drivers: readonly Driver[]): number {
  return drivers.reduce((total, { logOdds }) => total + logOdds, 0);
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

/**
 * Combines the reliability of independent categories. In each category, only the most reliable evidence counts.
 * Contradicting evidence and a heart rate that movement explains reduce the result.
 */
function rateConfidence(drivers: readonly Driver[], situation: ScoreInput): number {
  const trust = new Map<SignalCategory, number>();
  const ofHeart = drivers.reduce((sum, it) => sum + (isExpressed(it.evidence) ? 0 : it.logOdds / it.weight), 0);
  for (const driver of drivers) {
    const category = evidenceCategories[driver.evidence];
    const reliability = rateReliability(driver, situation, ofHeart);
    trust.set(category, Math.max(trust.get(category) ?? 0, driver.weight * reliability));
  }
  const doubt = [...trust.values()].reduce((product, each) => product * (1 - model.confidence.share * each), 1);
  const { movement_share, contradiction_share } = model.confidence;
  const heart = drivers.find(({ evidence }) => evidence === 'heart_rate');
  const moved = movement_share * (heart?.weight ?? 0) * computeExplainedShare(situation);
  const contradicted = contradiction_share * rateContradiction(drivers);
  return Math.round((1 - doubt) * (1 - moved) * (1 - contradicted) * 100) / 100;
}

/**
 * Returns the reliability, 0–1. `ofHeart` is the evidence of heart rate and variability, in log-odds. A heart rate is
 * more reliable with a personal baseline, and less reliable while it is unconfirmed or explained by movement. A heart
 * rate or words near the edge of `focused` are less reliable.
 */
function rateReliability({ evidence, logOdds, weight }: Driver, situation: ScoreInput, ofHeart: number): number {
  const { heart_rate_cold, heart_rate_personal, hrv, unconfirmed_share } = model.confidence;
  if (evidence === 'hrv') return hrv;
  if (evidence === 'sentiment') return model.reliability.sentiment * clearShare(logOdds / weight);
  if (evidence !== 'heart_rate') return model.reliability[evidence];
  const known = isLikelyAnotherPerson(situation) ? 0 : knownShare(situation.typical.heart_rate, ofHeart);
  const reliability = heart_rate_cold + known * (heart_rate_personal - heart_rate_cold);
  const confirmed = situation.heart?.isConfirmed ? 1 : unconfirmed_share;
  return reliability * clearShare(ofHeart) * (1 - computeExplainedShare(situation)) * confirmed;
}

/**
 * Returns how well the person's typical heart rate is known, 0–1. Evidence for stress requires minutes: a heart rate
 * above that of a recording's first minutes is often no stress.
 */
function knownShare({ known, learnedSeconds }: TypicalHeartRate, logOdds: number): number {
  if (logOdds < model.confidence.edge_log_odds) return known;
  return Math.min(known, learnedSeconds / (learnedSeconds + model.baseline.personal_after_seconds));
}

/** Returns how clearly evidence is on one side of the edge of `focused`: `edge_share` at the edge, up to 1. */
function clearShare(logOdds: number): number {
  const { edge_log_odds, edge_share, clear_log_odds, calm_share } = model.confidence;
  const above = logOdds - edge_log_odds;
  const distance = Math.min(1, Math.abs(above) / clear_log_odds);
  return edge_share + distance * ((above > 0 ? 1 : calm_share) - edge_share);
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

/**
 * Returns how much the evidence contradicts itself: 0 if all of it agrees, up to 1 for strong evidence for both stress
 * and calm.
 */
function rateContradiction(drivers: readonly Driver[]): number {
  const addLogOdds = (sign: 1 | -1) => drivers.reduce((sum, { logOdds }) => sum + Math.max(0, sign * logOdds), 0);
  return Math.min(1, Math.min(addLogOdds(1), addLogOdds(-1)) / model.confidence.contradiction_log_odds);
}
