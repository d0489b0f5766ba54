import { rateFreshness } from './evidence.js';
import { bands, signalCategories } from './generated/contract.js';
import { stressModel as model } from './model.js';
import { isLikelyAnotherPerson } from './movement.js';
import { evidenceCategories } from './signals.js';
import type { ScoreInput } from './situation.js';
import {
  addLogOdds,
  computeCauseShare,
  computeExplainedShare,
  type Driver,
  findMeasuredTime,
  fuseEvidence,
  type FusedStress,
  isNeutralWords,
  toStressValue,
} from './stress.js';

const { min_score: edge } = bands[2];

/**
 * Returns the confidence of a published score, 0–1, two decimals: the estimated probability that the score is on the right
 * side of the edge between `relaxed` and `focused`. It follows from four things: how far the evidence is from that edge, how
 * well the person's levels are known, whether the signals agree, and the age of the newest one. 0 without evidence. Words
 * in which nothing stands out never add to it, so that it does not rise while the other evidence ages.
 */
export function rateConfidence(
  { drivers: all, hasEvidence, isWeak }: Pick<FusedStress, 'drivers' | 'hasEvidence' | 'isWeak'>,
  situation: ScoreInput,
  published: number,
): number {
  if (!hasEvidence) return 0;
  if (isWeak) return model.confidence.weak;
  const drivers = all.filter((it) => !isNeutralWords(it, situation.signals));
  const newest = Math.max(...drivers.map(({ weight }) => weight));
  // As of the newest signal, so that the confidence falls exactly with its age.
  const asOfNewest = newest === 1 ? drivers : listAsOfNewest(drivers, situation);
  const { max, movement_share, contradiction_share } = model.confidence;
  const isRaised = published >= edge;
  const heart = asOfNewest.find(({ evidence }) => evidence === 'heart_rate');
  const moved =
    movement_share * (heart?.weight ?? 0) * Math.max(computeExplainedShare(situation), computeCauseShare(situation));
  const contradicted = contradiction_share * rateContradiction(asOfNewest);
  const value = toStressValue(addLogOdds(asOfNewest));
  const rateSide = (side: boolean) => rateDistance(value, side) * rateSupport(asOfNewest, situation, side);
  // Evidence of load whose score has only aged below the edge is no better evidence of calm.
  const rated = isRaised || value < edge ? rateSide(isRaised) : Math.min(rateSide(false), rateSide(true));
  return Math.max(0.01, Math.round(max * rateFreshness(newest) * rated * (1 - moved) * (1 - contradicted) * 100) / 100);
}

/** Returns the evidence, except for words that say nothing, at the time of the newest one. */
function listAsOfNewest(drivers: readonly Driver[], situation: ScoreInput): readonly Driver[] {
  const { signals } = situation;
  const newestMs = Math.max(...drivers.map((it) => findMeasuredTime(it, signals)));
  const said = isNeutralWords({ evidence: 'sentiment' }, signals) ? { ...signals, sentiment: undefined } : signals;
  return fuseEvidence({ ...situation, signals: said }, newestMs).drivers;
}

/** Returns a share that grows with the distance from the edge: 1 where it is clear, `edge_share` up to the edge. */
function rateDistance(value: number, isRaised: boolean): number {
  const { edge_share, calm_points, raised_points, raised_exponent } = model.confidence;
  const distance = isRaised ? (value - edge) / raised_points : (edge - value) / calm_points;
  const share = Math.min(1, Math.max(0, distance)) ** (isRaised ? raised_exponent : 1);
  return edge_share + (1 - edge_share) * share;
}

/**
 * Combines the reliability of independent categories. In each category, only the most reliable evidence counts. A category
 * whose evidence is on the other side of the edge counts less.
 */
function rateSupport(drivers: readonly Driver[], situation: ScoreInput, isRaised: boolean): number {
  const { edge_log_odds, opposing_share } = model.confidence;
  let doubts = 1;
  for (const category of signalCategories) {
    let [sum, most] = [0, 0];
    for (const { evidence, weight, logOdds } of drivers) {
      if (evidenceCategories[evidence] !== category) continue;
      sum += logOdds;
      most = Math.max(most, weight * rateReliability(evidence, situation, isRaised));
    }
    const share = (isRaised ? sum > 0 : sum <= edge_log_odds) ? 1 : opposing_share;
    doubts *= 1 - share * most;
  }
  return 1 - doubts;
}

function rateReliability(evidence: Driver['evidence'], situation: ScoreInput, isRaised: boolean): number {
  const { hrv, unconfirmed_share } = model.confidence;
  if (evidence === 'hrv') return hrv;
  if (evidence !== 'heart_rate') return model.reliability[evidence];
  const confirmed = situation.heart?.isConfirmed ? 1 : unconfirmed_share;
  return rateHeart(situation, isRaised) * (1 - computeExplainedShare(situation)) * confirmed;
}

/**
 * Returns the reliability of a heart rate, which grows with what is known. A calm level is known within a minute. A raised
 * heart rate requires minutes: one above that of a recording's first minutes is often no stress.
 */
function rateHeart(situation: ScoreInput, isRaised: boolean): number {
  const { heart_calm, heart_calm_cold, heart_raised, heart_raised_cold, raised_half_seconds } = model.confidence;
  const { known, learnedSeconds } = situation.typical.heart_rate;
  if (isLikelyAnotherPerson(situation)) return model.confidence.unlike_share * heart_raised_cold;
  if (!isRaised) return heart_calm_cold + known * (heart_calm - heart_calm_cold);
  const share = learnedSeconds / (learnedSeconds + raised_half_seconds);
  return heart_raised_cold + share * (heart_raised - heart_raised_cold);
}

/**
 * Returns how much the evidence contradicts itself: 0 if all of it agrees, up to 1 for strong evidence for both stress
 * and calm.
 */
function rateContradiction(drivers: readonly Driver[]): number {
  const sumOf = (sign: 1 | -1) => drivers.reduce((sum, { logOdds }) => sum + Math.max(0, sign * logOdds), 0);
  return Math.min(1, Math.min(sumOf(1), sumOf(-1)) / model.confidence.contradiction_log_odds);
}
