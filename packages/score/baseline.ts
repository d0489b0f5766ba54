import { stressModel as model } from './model.js';
import { chooseNewerDevice } from './movement.js';
import { addPastRate, addSmoothedRate, computeTypicalHeartRate } from './resting.js';
import type {
  Baseline,
  DeviceVariabilityBaseline,
  HeartCourse,
  HeartRateHistograms,
  RunningMean,
  VariabilityBaseline,
  VariabilityByDevice,
} from './rows/person.js';
import type { Device, Signals } from './rows/values.js';
import { addLateValue, addValue, readMean } from './running-mean.js';
import type { TypicalHeartRate, TypicalValues } from './situation.js';

/** One sample that the baseline learns from: smoothed heart rate in bpm, variability in ms. */
export interface BaselineSample {
  readonly atMs: number;
  readonly heart_rate?: number | undefined;
  readonly sdnn?: number | undefined;
  readonly rmssd?: number | undefined;
  /** True if movement explains the heart rate. The baseline then stores only the time. */
  readonly isSkipped?: boolean;
  /** True if the heart rate is raised as under stress. */
  readonly isRaised?: boolean;
  /** Device that measured the sample. Absent for a sample without a device. */
  readonly source_device?: string | undefined;
  /** The course of the day after the sample. Absent without a person. */
  readonly course?: HeartCourse | undefined;
  /** Device of the newest heart data of the session. */
  readonly device?: Device | undefined;
}

const { sdnn_population_ln_ms, rmssd_population_ln_ms } = model.hrv;

/**
 * Returns the typical values from readings strictly before `atMs`. For a signal in `measured`, uses only readings
 * strictly before that measurement. Without a baseline, returns the values of the population. `isPast` is true for a
 * backfilled reading.
 */
export function computeTypicalValues(
  baseline: Baseline | undefined,
  atMs: number,
  measured: Signals = {},
  isPast = false,
): TypicalValues {
  const { heart_rate, sdnn, rmssd } = measured;
  const own = findVariability(baseline, sdnn?.device);
  const ownRmssd = rmssd?.device === sdnn?.device ? own.rmssd : findVariability(baseline, rmssd?.device).rmssd;
  return {
    heart_rate: computeTypicalHeartRate(baseline?.heart_rate, heart_rate?.atMs ?? atMs, isPast),
    sdnn: readMean(own.sdnn, sdnn?.atMs ?? atMs, sdnn_population_ln_ms),
    rmssd: readMean(ownRmssd, rmssd?.atMs ?? atMs, rmssd_population_ln_ms),
  };
}

/**
 * Returns the progress of a baseline, 0–1, two decimals. At 1, the weight of the person's own typical heart rate is one
 * half.
 */
export function computeProgress({ learnedSeconds }: TypicalHeartRate): number {
  return Math.floor(Math.min(1, learnedSeconds / model.baseline.typical_weight_seconds) * 100) / 100;
}

/** Returns the baseline updated with a reading. Call it after the reading is scored. Ignores late readings. */
export function updateBaseline(baseline: Baseline | undefined, lesson: BaselineSample): Baseline {
  const held = baseline ?? {};
  const { sdnn, rmssd, devices } = learnVariability(held, lesson);
  const device = chooseNewerDevice(held.device, lesson.device);
  return { heart_rate: learnHeartRate(held.heart_rate, lesson), sdnn, rmssd, devices, device, course: lesson.course };
}

function learnHeartRate(
  resting: HeartRateHistograms | undefined,
  { atMs, heart_rate: bpm, isSkipped = false, isRaised }: BaselineSample,
  isPast?: true,
) {
  return bpm === undefined
    ? resting
    : addSmoothedRate(resting, { atMs, bpm, isSkipped, isRaised, ...(isPast && { isPast }) });
}

/** Seconds that each sample of a lesson represents. */
export type SampleDurations = Readonly<Record<'heart_rate' | 'sdnn' | 'rmssd', number>>;

/**
 * Returns the baseline updated with a backfilled reading, which may be older than the newest reading of the baseline.
 * An older sample is added to the earlier samples of the person, with its duration as its weight.
 */
export function backfillBaseline(
  baseline: Baseline | undefined,
  lesson: BaselineSample,
  durations: SampleDurations,
): Baseline {
  const held = baseline ?? {};
  const { atMs, heart_rate: bpm, isSkipped = false } = lesson;
  const isPast = held.heart_rate && bpm !== undefined && atMs < held.heart_rate.atMs;
  const heart_rate = isPast
    ? addPastRate(held.heart_rate, { atMs, bpm, isSkipped }, durations.heart_rate)
    : learnHeartRate(held.heart_rate, lesson, held.heart_rate?.atMs === atMs ? held.heart_rate.isPast : true);
  const { sdnn, rmssd, devices } = learnVariability(held, lesson, durations);
  return { heart_rate, sdnn, rmssd, devices, device: held.device, course: held.course };
}

/** Returns the variability that the device measured. `device` is undefined for readings without a device. */
function findVariability(known: VariabilityByDevice | undefined, device: string | undefined): VariabilityBaseline {
  return (device === undefined ? known : known?.devices?.find((it) => it.device === device)) ?? {};
}

/** Returns the variability updated with a reading. `durations` are present for a backfilled reading. */
function learnVariability(
  known: VariabilityByDevice,
  lesson: BaselineSample,
  durations?: SampleDurations,
): VariabilityByDevice {
  const own = learnValues(findVariability(known, lesson.source_device), lesson, durations);
  const { source_device: device } = lesson;
  if (device === undefined) return { ...own, devices: known.devices?.map((it) => alignValues(it, lesson)) };
  const { sdnn, rmssd } = alignValues(known, lesson);
  const others = known.devices?.filter((it) => it.device !== device).map((it) => alignValues(it, lesson)) ?? [];
  if (!own.sdnn && !own.rmssd) return { sdnn, rmssd, devices: known.devices && others };
  const devices = [{ device, ...own }, ...others].sort(byRecency).slice(0, model.baseline.devices_max);
  return { sdnn, rmssd, devices };
}

function learnValues(
  own: VariabilityBaseline,
  lesson: BaselineSample,
  durations: SampleDurations | undefined,
): VariabilityBaseline {
  return {
    sdnn: learnValue(own.sdnn, lesson, lesson.sdnn, durations?.sdnn),
    rmssd: learnValue(own.rmssd, lesson, lesson.rmssd, durations?.rmssd),
  };
}

function learnValue(track: RunningMean | undefined, lesson: BaselineSample, ms: number | undefined, seconds?: number) {
  if (ms === undefined) return align(track, lesson);
  const { atMs, isSkipped = false } = lesson;
  const measured = { atMs, value: Math.log(ms), isSkipped };
  const isPast = seconds !== undefined && track !== undefined && atMs < track.atMs;
  return isPast ? addLateValue(track, measured, seconds) : addValue(track, measured);
}

function alignValues<V extends VariabilityBaseline>(held: V, lesson: BaselineSample): V {
  const [sdnn, rmssd] = [align(held.sdnn, lesson), align(held.rmssd, lesson)];
  return sdnn === held.sdnn && rmssd === held.rmssd ? held : { ...held, sdnn, rmssd };
}

/** Movement explains all values with the timestamp of the reading or none, in any order of arrival. */
function align(track: RunningMean | undefined, { atMs, isSkipped }: BaselineSample): RunningMean | undefined {
  const flag = isSkipped || undefined;
  return track?.atMs === atMs && track.isSkipped !== flag ? { ...track, isSkipped: flag } : track;
}

function byRecency(a: DeviceVariabilityBaseline, b: DeviceVariabilityBaseline): number {
  return findNewestValueTime(b) - findNewestValueTime(a) || (a.device < b.device ? -1 : 1);
}

/** Returns the timestamp of the newest value, in epoch ms. 0 if there is none. */
export function findNewestValueTime({ sdnn, rmssd }: VariabilityBaseline): number {
  return Math.max(sdnn?.atMs ?? 0, rmssd?.atMs ?? 0);
}
