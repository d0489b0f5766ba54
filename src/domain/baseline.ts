import { stressModel as model } from '../../generated/spec.js';

/** What is usual for one person; absent tracks mean that signal was never seen. Plain JSON, about 250 bytes. */
export interface Baseline {
  readonly heart_rate?: Track | undefined;
  readonly sdnn?: Track | undefined;
}

/**
 * A running, time-weighted mean of one quantity (bpm, or ln ms).
 * The newest reading is kept apart from the mean, so that readings of one instant may arrive in any order.
 */
export interface Track {
  /** Instants of the first and the newest reading, epoch ms. */
  readonly firstAtMs: number;
  readonly atMs: number;
  /** The newest reading and the seconds it stands for; not yet in the mean. */
  readonly value: number;
  readonly seconds: number;
  /** Mean of all earlier readings and the seconds they stand for, after forgetting. */
  readonly mean: number;
  readonly meanSeconds: number;
}

/** A person's usual heart rate (value in bpm) and SDNN (value in ln ms), shrunk to the population; known 0 is the population itself, towards 1 the person's own. */
export interface Usual {
  readonly heart_rate: { readonly value: number; readonly known: number };
  readonly sdnn: { readonly value: number; readonly known: number };
}

interface Population {
  readonly mean: number;
  readonly sd: number;
}
type Known = Pick<Track, 'mean' | 'meanSeconds'>;

const heartRates: Population = { mean: model.heart_rate.population_bpm, sd: model.heart_rate.population_sd_bpm };
const lnSdnns: Population = { mean: model.sdnn.population_ln_ms, sd: model.sdnn.population_sd_ln };

/** What is usual at an instant, from strictly earlier readings only. Without a baseline: the population. */
export function usualOf(baseline: Baseline | undefined, atMs: number): Usual {
  return { heart_rate: shrink(baseline?.heart_rate, atMs, heartRates), sdnn: shrink(baseline?.sdnn, atMs, lnSdnns) };
}

/**
 * Learns from a reading; call it after the reading was scored. heart_rate in bpm, sdnn in ms.
 * At equal instants the more stressful value counts. A late reading teaches nothing: its time is already taken.
 */
export function learn(
  baseline: Baseline | undefined,
  reading: { readonly atMs: number; readonly heart_rate?: number | undefined; readonly sdnn?: number | undefined },
): Baseline {
  const { atMs, heart_rate, sdnn } = reading;
  return {
    heart_rate:
      heart_rate === undefined
        ? baseline?.heart_rate
        : follow(baseline?.heart_rate, atMs, heart_rate, heartRates, Math.max),
    sdnn: sdnn === undefined ? baseline?.sdnn : follow(baseline?.sdnn, atMs, Math.log(sdnn), lnSdnns, Math.min),
  };
}

function follow(
  track: Track | undefined,
  atMs: number,
  value: number,
  population: Population,
  moreStressful: (a: number, b: number) => number,
): Track {
  const secondsMax = model.baseline.reading_seconds_max;
  if (!track) return { firstAtMs: atMs, atMs, value, seconds: secondsMax, mean: population.mean, meanSeconds: 0 };
  if (atMs < track.atMs) return track;
  if (atMs === track.atMs) return { ...track, value: moreStressful(value, track.value) };
  const seconds = Math.min(secondsMax, (atMs - track.atMs) / 1000);
  const { mean, meanSeconds } = settle(track, atMs, population);
  return { firstAtMs: track.firstAtMs, atMs, value, seconds, mean, meanSeconds };
}

/** The mean with the newest reading in it, as it stands at an instant later than that reading; else without it. */
function settle(track: Track, atMs: number, population: Population): Known {
  if (atMs <= track.atMs) return { mean: track.mean, meanSeconds: track.meanSeconds };
  const reach = reachOf(track.meanSeconds, population);
  const value = Math.min(Math.max(track.value, population.mean - reach), population.mean + reach);
  const seconds = track.meanSeconds + track.seconds;
  const mean = track.mean + ((value - track.mean) * track.seconds) / seconds;
  return { mean, meanSeconds: remember(seconds, atMs - track.atMs) };
}

/**
 * How far from the population a reading may count. It grows with what is known: an hour at 110 bpm is sooner a
 * run or a bad hour than a person whose usual it is; and one wild reading moves nobody far.
 */
function reachOf(knownSeconds: number, population: Population): number {
  const { reach_sd, reach_doubles_after_seconds } = model.baseline;
  return population.sd * reach_sd * (1 + knownSeconds / reach_doubles_after_seconds);
}

/** Forgetting by half-life over a gap in ms, but never below what is always remembered. */
function remember(seconds: number, gapMs: number): number {
  const { half_life_days, remembered_seconds } = model.baseline;
  const left = seconds * 2 ** (-gapMs / (half_life_days * 24 * 60 * 60 * 1000));
  return Math.max(left, Math.min(seconds, remembered_seconds));
}

/** Shrinks a person's mean to the population, wholly at first sight: a baseline fades in over the time that one reading may stand for. */
function shrink(track: Track | undefined, atMs: number, population: Population): { value: number; known: number } {
  if (!track) return { value: population.mean, known: 0 };
  const { population_weight_seconds, reading_seconds_max } = model.baseline;
  const { mean, meanSeconds } = settle(track, atMs, population);
  const acquaintance = Math.min(1, Math.max(0, (atMs - track.firstAtMs) / 1000 / reading_seconds_max));
  const known = (acquaintance * meanSeconds) / (meanSeconds + population_weight_seconds);
  return { value: population.mean + known * (mean - population.mean), known };
}
