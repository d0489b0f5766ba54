import { stressModel as model } from './model.js';
import type { Histogram, HeartRateHistograms } from './rows/person.js';
import { round3 } from './rows/values.js';
import { computeFamiliarity, keepFirstTime, findFirstTime, computeRemainingShare } from './running-mean.js';
import type { TypicalHeartRate } from './situation.js';

type Learned = Pick<
  HeartRateHistograms,
  'blockBpm' | 'blockSeconds' | 'seenSeconds' | 'secondsByBpm' | 'phases' | 'live'
>;

/** A smoothed heart rate at one time. */
interface SmoothedRate {
  readonly atMs: number;
  readonly bpm: number;
  readonly isSkipped: boolean;
  readonly isRaised?: boolean | undefined;
  /** True for a backfilled reading. */
  readonly isPast?: true;
}

/** Adds a smoothed heart rate. A second rate with the same timestamp replaces the first. */
export function addSmoothedRate(resting: HeartRateHistograms | undefined, rate: SmoothedRate): HeartRateHistograms {
  const { atMs, isPast } = rate;
  const [bpm, isSkipped, isRaised] = [round3(rate.bpm), rate.isSkipped || undefined, rate.isRaised || undefined];
  const secondsMax = model.baseline.reading_seconds_max;
  if (!resting) return withLive({ firstAtMs: atMs, atMs, bpm, seconds: secondsMax, isSkipped, isRaised, isPast }, rate);
  if (atMs < resting.atMs) return resting;
  if (atMs === resting.atMs) return { ...resting, bpm, isSkipped, isRaised };
  const seconds = Math.min(secondsMax, (atMs - resting.atMs) / 1000);
  const { blockBpm, blockSeconds, seenSeconds, secondsByBpm, phases, live } = settle(resting, atMs);
  const firstAtMs = keepFirstTime(resting.firstAtMs, atMs);
  const raisedSeconds = addRaised(resting, atMs);
  const next: HeartRateHistograms = {
    // The large parts, which few readings change, come first: a database logs a changed text from its first difference on.
    firstAtMs,
    secondsByBpm,
    phases,
    pastPhases: resting.pastPhases,
    seenSeconds,
    atMs,
    bpm,
    seconds,
    isSkipped,
    isRaised,
    raisedSeconds,
    blockBpm,
    blockSeconds,
    isPast,
    live,
  };
  return withLive(next, rate);
}

/**
 * Adds a smoothed heart rate that is older than the newest one and represents `seconds`. The order of past rates does
 * not matter, because the bins contain only durations.
 */
export function addPastRate(resting: HeartRateHistograms, rate: SmoothedRate, seconds: number): HeartRateHistograms {
  if (rate.isSkipped || seconds <= 0) return resting;
  const started = withLive(resting, { ...rate, isPast: true });
  const added = forget(withNewest({ ...started, isPast: true, atMs: rate.atMs, bpm: round3(rate.bpm), seconds }), 0);
  const { blockBpm, blockSeconds, seenSeconds, secondsByBpm, phases, live } = added;
  const firstAtMs = findFirstTime(resting, rate.atMs);
  return { ...started, firstAtMs, blockBpm, blockSeconds, seenSeconds, secondsByBpm, phases, live };
}

/**
 * Adds the phase of a backfilled rate. Starts `live` with the first one of a person without a whole day of readings, and
 * removes it once backfilled rates cover a day.
 */
function withLive(resting: HeartRateHistograms, { atMs, isPast }: SmoothedRate): HeartRateHistograms {
  const { live, seenSeconds: seconds = 0, secondsByBpm = {}, phases = {}, pastPhases: before = [] } = resting;
  if (!isPast) return resting;
  const phase = phaseAt(atMs);
  const pastPhases = before.includes(phase) ? before : [...before, phase];
  const isDay = (count: number) => count >= model.baseline.day_phases;
  if (isDay(pastPhases.length)) return { ...resting, pastPhases, live: undefined };
  const isNew = before.length === 0 && !isDay(Object.keys(phases).length);
  return { ...resting, pastPhases, live: isNew ? { seconds, secondsByBpm } : live };
}

/**
 * Returns the heart rates that are typical at a time, from strictly earlier readings. With few readings, they are close
 * to those of the population. Backfilled readings of a part of the day do not lower them, unless `isPast`.
 */
export function computeTypicalHeartRate(
  resting: HeartRateHistograms | undefined,
  atMs: number,
  isPast = false,
): TypicalHeartRate {
  const { population_resting_bpm: population, stressed_rise_bpm } = model.heart_rate;
  const raisedSeconds = (resting && addRaised(resting, atMs)) ?? 0;
  const unknown = { value: population, restingBpm: population, stressedRiseBpm: stressed_rise_bpm, raisedSeconds };
  const { seenSeconds = 0, secondsByBpm, phases, live: other } = resting ? settle(resting, atMs) : {};
  if (!resting || !secondsByBpm) return { ...unknown, known: 0, learnedSeconds: 0 };
  const whole = describe(secondsByBpm, seenSeconds);
  const inPhase = phases?.[phaseAt(atMs)] ?? {};
  const phaseSeconds = described.get(inPhase)?.seconds ?? addSeconds(inPhase);
  const phase = phaseSeconds > 0 ? describe(inPhase, phaseSeconds) : whole;
  const { weight_seconds, phase_weight_seconds, asleep_below_bpm } = model.baseline;
  const phaseShare = computeLearnedShare(phaseSeconds, phase_weight_seconds);
  // A level of sleep is not what is typical of the person awake at this time: a night shift, a parent at night.
  const isAsleep = phaseShare >= 0.5 && phase.typicalBpm < whole.typicalBpm - asleep_below_bpm;
  const ownBpm = isAsleep ? whole.typicalBpm : blend(whole.typicalBpm, phase.typicalBpm, phaseShare);
  const phaseRise = isAsleep ? Math.max(whole.stressedRiseBpm, phase.stressedRiseBpm) : phase.stressedRiseBpm;
  const familiarity = computeFamiliarity(resting.firstAtMs, atMs);
  const weighLevel = (bpm: number, seconds: number) => {
    const accepted = acceptHighLevel(bpm - population, seconds, phases);
    const known = (familiarity * accepted * seconds) / (seconds + weight_seconds);
    return { value: blend(population, bpm, known), known };
  };
  const own = weighLevel(ownBpm, seenSeconds);
  const live =
    isPast || !other ? own : weighLevel(describe(other.secondsByBpm, other.seconds).typicalBpm, other.seconds);
  const level = live.value > own.value ? live : own;
  return {
    ...level,
    restingBpm: blend(population, whole.restingBpm, own.known),
    stressedRiseBpm: blend(whole.stressedRiseBpm, phaseRise, phaseShare),
    ...(isAsleep && { isSleepTime: true }),
    learnedSeconds: seenSeconds,
    raisedSeconds,
  };
}

const blend = (one: number, other: number, share: number): number => one + share * (other - one);

/**
 * Returns how much a level `riseBpm` above the population counts, 0–1. A very high level may be that of a tense person, so
 * it counts fully only after hours, or in the third phase.
 */
function acceptHighLevel(riseBpm: number, seconds: number, phases: Learned['phases'] = {}): number {
  const { high_from_bpm, high_after_seconds, high_learned_seconds, high_phases } = model.baseline;
  if (riseBpm <= high_from_bpm || Object.keys(phases).length >= high_phases) return 1;
  const share = (seconds - high_after_seconds) / (high_learned_seconds - high_after_seconds);
  return blend(high_from_bpm / riseBpm, 1, Math.min(1, Math.max(0, share)));
}

/**
 * Returns the resting and the typical heart rate of a histogram, and the rise above the typical one that counts as
 * stressed, in bpm. With few learned seconds, the typical heart rate is the resting heart rate.
 */
function describe(secondsByBpm: Histogram, seconds: number): Described {
  const known = described.get(secondsByBpm);
  if (known?.seconds === seconds) return known;
  const found = { seconds, ...describeBins(secondsByBpm, seconds) };
  described.set(secondsByBpm, found);
  return found;
}

type Described = ReturnType<typeof describeBins> & { readonly seconds: number };
/** Most readings add to a block and change no bin. */
const described = new WeakMap<Histogram, Described>();

function describeBins(secondsByBpm: Histogram, seconds: number) {
  const { resting_quantile, typical_quantile, raised_quantile, typical_weight_seconds } = model.baseline;
  const { stressed_rise_bpm, stressed_rise_bpm_max } = model.heart_rate;
  const quantiles = [resting_quantile, typical_quantile, raised_quantile];
  const [restingBpm = 0, typicalBpm = 0, raisedBpm = 0] = findQuantiles(secondsByBpm, seconds, quantiles);
  const ownRise = Math.min(Math.max(raisedBpm - typicalBpm, stressed_rise_bpm), stressed_rise_bpm_max);
  const share = computeLearnedShare(seconds, typical_weight_seconds);
  return {
    restingBpm,
    typicalBpm: restingBpm + share * (typicalBpm - restingBpm),
    stressedRiseBpm: stressed_rise_bpm + share * (ownRise - stressed_rise_bpm),
  };
}

/**
 * Returns how much learned time counts, 0–1: half at `halfSeconds`. Less than an hour counts very little, so that an hour
 * of stress does not become typical.
 */
export function computeLearnedShare(seconds: number, halfSeconds: number): number {
  return seconds ** 2 / (seconds ** 2 + halfSeconds ** 2);
}

/** Returns the first hour of the phase of the UTC day. */
function phaseAt(atMs: number): number {
  const { phase_hours } = model.baseline;
  return Math.floor((atMs / 3_600_000 / phase_hours) % (24 / phase_hours)) * phase_hours;
}

/** Time spent at each heart rate. */
export interface TimePerHeartRate {
  /** Total of `secondsByBpm` in seconds. */
  readonly seconds: number;
  /** Seconds per bin, after decay. The key is the lower edge of the bin, in bpm. */
  readonly secondsByBpm: Histogram;
}

/** Returns the time at each heart rate from strictly earlier readings, including readings too short for a bin entry. */
export function readTimePerHeartRate(resting: HeartRateHistograms, atMs: number): TimePerHeartRate {
  const { blockBpm, blockSeconds = 0, seenSeconds = 0, secondsByBpm = {} } = settle(resting, atMs);
  if (blockBpm === undefined) return { seconds: seenSeconds, secondsByBpm };
  return { seconds: round3(seenSeconds + blockSeconds), secondsByBpm: addTo(secondsByBpm, blockBpm, blockSeconds) };
}

/** Returns `raisedSeconds`. They include the newest rate only if `atMs` is later than its timestamp. */
function addRaised(resting: HeartRateHistograms, atMs: number): number | undefined {
  const { isSkipped, isRaised, seconds, raisedSeconds = 0 } = resting;
  if (atMs <= resting.atMs || isSkipped) return raisedSeconds || undefined;
  const sum = raisedSeconds + (isRaised ? seconds : -seconds);
  return round3(Math.min(model.confidence.unlike_seconds, Math.max(0, sum))) || undefined;
}

/** Returns the bins. They include the newest rate only if `atMs` is later than its timestamp. */
function settle(resting: HeartRateHistograms, atMs: number): Learned {
  if (atMs <= resting.atMs) return resting;
  const known = settled.get(resting);
  if (known?.atMs === atMs) return known.learned;
  const learned = forget(resting.isSkipped ? resting : withNewest(resting), atMs - resting.atMs);
  settled.set(resting, { atMs, learned });
  return learned;
}

/** A reading settles the same bins twice: before it is scored, and when they learn from it. */
const settled = new WeakMap<HeartRateHistograms, { readonly atMs: number; readonly learned: Learned }>();

function withNewest(resting: HeartRateHistograms): Learned {
  const { atMs, bpm, seconds, blockBpm = 0, blockSeconds = 0, seenSeconds = 0, secondsByBpm, phases } = resting;
  const live = resting.isPast || !resting.live ? resting.live : addToLive(resting.live, bpm, seconds);
  const together = round3(blockSeconds + seconds);
  const mean = round3(blockBpm + ((bpm - blockBpm) * seconds) / together);
  if (together < model.baseline.reading_seconds_max)
    return { blockBpm: mean, blockSeconds: together, seenSeconds, secondsByBpm, phases, live };
  const phase = phaseAt(atMs);
  return {
    seenSeconds: round3(seenSeconds + together),
    secondsByBpm: addTo(secondsByBpm ?? {}, mean, together),
    phases: { ...phases, [phase]: forgetPhase(addTo(phases?.[phase] ?? {}, mean, together)) },
    live,
  };
}

function addToLive(live: NonNullable<Learned['live']>, bpm: number, seconds: number): Learned['live'] {
  return { seconds: round3(live.seconds + seconds), secondsByBpm: addTo(live.secondsByBpm, bpm, seconds) };
}

function forget(learned: Learned, gapMs: number): Learned {
  const { reading_seconds_max, capacity_seconds } = model.baseline;
  const { seenSeconds = 0, phases } = learned;
  if (gapMs > reading_seconds_max * 1000) return scale(learned, computeRemainingShare(seenSeconds, gapMs));
  return seenSeconds > capacity_seconds ? { ...scale(learned, 1 / 2), phases } : learned;
}

/** Halves the seconds of a phase when they exceed its part of the capacity. */
function forgetPhase(secondsByBpm: Histogram): Histogram {
  const { capacity_seconds, phase_hours } = model.baseline;
  return addSeconds(secondsByBpm) > (capacity_seconds * phase_hours) / 24
    ? scaleBins(secondsByBpm, 1 / 2)
    : secondsByBpm;
}

function scale(learned: Learned, share: number): Learned {
  const { blockBpm, blockSeconds, seenSeconds = 0, secondsByBpm = {}, phases = {}, live } = learned;
  if (share === 1 || seenSeconds === 0) return learned;
  const scaled: Record<string, Histogram> = {};
  for (const phase in phases) scaled[phase] = scaleBins(phases[phase] ?? {}, share);
  return {
    blockBpm,
    blockSeconds,
    seenSeconds: round3(seenSeconds * share),
    secondsByBpm: scaleBins(secondsByBpm, share),
    phases: scaled,
    live,
  };
}

/** Returns the histogram with `seconds` added at a heart rate. */
function addTo(secondsByBpm: Histogram, bpm: number, seconds: number): Histogram {
  const { bin_bpm } = model.baseline;
  const bin = Math.floor(bpm / bin_bpm) * bin_bpm;
  return { ...secondsByBpm, [bin]: round3((secondsByBpm[bin] ?? 0) + seconds) };
}

/** Returns the sum of all bins, in seconds. */
function addSeconds(secondsByBpm: Histogram): number {
  let total = 0;
  for (const bin in secondsByBpm) total += secondsByBpm[bin] ?? 0;
  return total;
}

/** Returns the histogram with `share` of the time in each bin. */
function scaleBins(secondsByBpm: Histogram, share: number): Histogram {
  const scaled: Record<string, number> = {};
  for (const bin in secondsByBpm) scaled[bin] = round3((secondsByBpm[bin] ?? 0) * share);
  return scaled;
}

/**
 * Returns the heart rates below which the person spent these shares of `seconds` in bpm, interpolated within their
 * bins. The shares ascend, so that one pass over the bins finds all of them.
 */
function findQuantiles(secondsByBpm: Histogram, seconds: number, shares: readonly number[]): number[] {
  const { bin_bpm } = model.baseline;
  const left = shares.map((share) => seconds * share);
  let [found, highest] = [0, 0];
  // JavaScript enumerates integer keys in ascending order.
  for (const bin in secondsByBpm) {
    const inBin = secondsByBpm[bin] ?? 0;
    highest = Number(bin);
    for (let index = found; index < left.length; index += 1) {
      const remaining = left[index] ?? 0;
      if (remaining <= inBin) left[found++] = highest + (bin_bpm * remaining) / inBin;
      else left[index] = remaining - inBin;
    }
    if (found === left.length) return left;
  }
  return left.fill(highest + bin_bpm, found);
}
