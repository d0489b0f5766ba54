import type { Schema } from '../contract.js';
import { type Baseline, type TypicalHeartRate, typicalOf, type TypicalValue } from './baseline.js';
import { learnedRates, type RestingHeartRate } from './resting.js';
import { round3 } from './rounding.js';
import { type RunningMean, settle } from './running-mean.js';

/**
 * Returns the baseline as defined in the contract, from readings strictly before `atMs`, epoch ms. A reading at that
 * time is scored against the same typical values.
 */
export function toBaseline(baseline: Baseline, atMs: number): Schema<'Baseline'> {
  const { heart_rate, sdnn, rmssd } = baseline;
  const typical = typicalOf(baseline, atMs);
  return {
    ...(heart_rate && { heart_rate: toHeartRate(heart_rate, typical.heart_rate, atMs) }),
    ...(sdnn && { sdnn: toVariability(sdnn, typical.sdnn, atMs) }),
    ...(rmssd && { rmssd: toVariability(rmssd, typical.rmssd, atMs) }),
  };
}

function toHeartRate(
  resting: RestingHeartRate,
  { value, known, restingBpm, stressedRiseBpm }: TypicalHeartRate,
  atMs: number,
): Schema<'HeartRateBaseline'> {
  const { seconds, secondsByBpm } = learnedRates(resting, atMs);
  return {
    resting_bpm: round3(restingBpm),
    typical_bpm: round3(value),
    stressed_rise_bpm: round3(stressedRiseBpm),
    own_share: round3(known),
    learned_seconds: seconds,
    // JavaScript enumerates integer keys in ascending order.
    histogram: Object.entries(secondsByBpm).map(([bpm, seconds]) => ({ from_bpm: Number(bpm), seconds })),
    latest: { ...toLatest(resting), bpm: resting.bpm },
  };
}

/** The track and its typical value are in ln ms. */
function toVariability(
  track: RunningMean,
  { value, known }: TypicalValue,
  atMs: number,
): Schema<'VariabilityBaseline'> {
  const { mean, meanSeconds = 0 } = settle(track, atMs);
  return {
    typical_ms: round3(Math.exp(value)),
    own_share: round3(known),
    ...(mean !== undefined && { own_mean_ms: round3(Math.exp(mean)) }),
    learned_seconds: round3(meanSeconds),
    latest: { ...toLatest(track), ms: round3(Math.exp(track.value)) },
  };
}

function toLatest({ atMs, isSkipped }: RestingHeartRate | RunningMean) {
  return { timestamp: new Date(atMs).toISOString(), learned: isSkipped !== true };
}
