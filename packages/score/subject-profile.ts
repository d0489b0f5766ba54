import { computeTypicalValues } from './baseline.js';
import { stressModel as model } from './model.js';
import { readTimePerHeartRate } from './resting.js';
import type { Baseline, HeartRateHistograms, RunningMean, VariabilityBaseline } from './rows/person.js';
import { round3 } from './rows/values.js';
import { readMean, includeNewest } from './running-mean.js';
import type { TypicalHeartRate, TypicalValue } from './situation.js';

/**
 * Returns the baseline as defined in the contract, from readings strictly before `atMs`, in epoch ms. A reading at that
 * time is scored against the same typical values.
 */
export function toContractBaseline(baseline: Baseline, atMs: number) {
  const { heart_rate, sdnn, rmssd, devices = [] } = baseline;
  const named = devices.map(({ device, ...own }) => ({ source_device: device, ...toVariabilities(own, atMs) }));
  const unnamed = sdnn || rmssd ? [toVariabilities({ sdnn, rmssd }, atMs)] : [];
  const newest = (name: keyof VariabilityBaseline) =>
    [baseline, ...devices].map((it) => it[name]).reduce((a, b) => ((b?.atMs ?? 0) > (a?.atMs ?? 0) ? b : a));
  return {
    ...(heart_rate && { heart_rate: toHeartRate(heart_rate, computeTypicalValues(baseline, atMs).heart_rate, atMs) }),
    ...toVariabilities({ sdnn: newest('sdnn'), rmssd: newest('rmssd') }, atMs),
    ...(named.length > 0 && { devices: [...named, ...unnamed] }),
  };
}

function toVariabilities({ sdnn, rmssd }: VariabilityBaseline, atMs: number) {
  const { sdnn_population_ln_ms, rmssd_population_ln_ms } = model.hrv;
  return {
    ...(sdnn && { sdnn: toVariability(sdnn, readMean(sdnn, atMs, sdnn_population_ln_ms), atMs) }),
    ...(rmssd && { rmssd: toVariability(rmssd, readMean(rmssd, atMs, rmssd_population_ln_ms), atMs) }),
  };
}

function toHeartRate(
  resting: HeartRateHistograms,
  { value, known, restingBpm, stressedRiseBpm }: TypicalHeartRate,
  atMs: number,
) {
  const { seconds, secondsByBpm } = readTimePerHeartRate(resting, atMs);
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

/** `track` and its typical value are in ln ms. */
function toVariability(track: RunningMean, { value, known }: TypicalValue, atMs: number) {
  const { mean, meanSeconds = 0 } = includeNewest(track, atMs);
  return {
    typical_ms: round3(Math.exp(value)),
    own_share: round3(known),
    ...(mean !== undefined && { own_mean_ms: round3(Math.exp(mean)) }),
    learned_seconds: round3(meanSeconds),
    latest: { ...toLatest(track), ms: round3(Math.exp(track.value)) },
  };
}

function toLatest({ atMs, isSkipped }: HeartRateHistograms | RunningMean) {
  return { timestamp: new Date(atMs).toISOString(), learned: isSkipped !== true };
}
