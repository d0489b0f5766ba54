import { stressModel as model } from '../../generated/spec.js';
import type { Durations, Lesson } from './baseline.js';
import { addPastValue, followMean, type RunningMean } from './running-mean.js';

/** Baseline of heart rate variability. Each field is absent if it was never measured. */
export interface Variability {
  /** Mean of ln SDNN, in ln ms. */
  readonly sdnn?: RunningMean | undefined;
  /** Mean of ln RMSSD, in ln ms. */
  readonly rmssd?: RunningMean | undefined;
}

/** Baseline of the heart rate variability that one device measured. */
export interface DeviceVariability extends Variability {
  readonly device: string;
}

/**
 * Variability per device, because devices measure different values of the same person. `sdnn` and `rmssd` contain the
 * readings without a device, and those of releases without `devices`.
 */
export interface VariabilityByDevice extends Variability {
  /** The last used devices, newest first. Absent until a reading with variability names a device. */
  readonly devices?: readonly DeviceVariability[] | undefined;
}

/** Returns the variability that the device measured. `device` is undefined for readings without a device. */
export function variabilityOf(known: VariabilityByDevice | undefined, device: string | undefined): Variability {
  return (device === undefined ? known : known?.devices?.find((it) => it.device === device)) ?? {};
}

/** Returns the variability updated with a reading. `durations` are present for a backfilled reading. */
export function learnVariability(
  known: VariabilityByDevice,
  lesson: Lesson,
  durations?: Durations,
): VariabilityByDevice {
  const own = learnValues(variabilityOf(known, lesson.source_device), lesson, durations);
  const { source_device: device } = lesson;
  if (device === undefined) return { ...own, devices: known.devices?.map((it) => alignValues(it, lesson)) };
  const { sdnn, rmssd } = alignValues(known, lesson);
  const others = known.devices?.filter((it) => it.device !== device).map((it) => alignValues(it, lesson)) ?? [];
  if (!own.sdnn && !own.rmssd) return { sdnn, rmssd, devices: known.devices && others };
  const devices = [{ device, ...own }, ...others].sort(byRecency).slice(0, model.baseline.devices_max);
  return { sdnn, rmssd, devices };
}

function learnValues(own: Variability, lesson: Lesson, durations: Durations | undefined): Variability {
  return {
    sdnn: learnValue(own.sdnn, lesson, lesson.sdnn, durations?.sdnn),
    rmssd: learnValue(own.rmssd, lesson, lesson.rmssd, durations?.rmssd),
  };
}

function learnValue(track: RunningMean | undefined, lesson: Lesson, ms: number | undefined, seconds?: number) {
  if (ms === undefined) return align(track, lesson);
  const { atMs, isSkipped = false } = lesson;
  const measured = { atMs, value: Math.log(ms), isSkipped };
  const isPast = seconds !== undefined && track !== undefined && atMs < track.atMs;
  return isPast ? addPastValue(track, measured, seconds) : followMean(track, measured);
}

function alignValues<V extends Variability>(held: V, lesson: Lesson): V {
  const [sdnn, rmssd] = [align(held.sdnn, lesson), align(held.rmssd, lesson)];
  return sdnn === held.sdnn && rmssd === held.rmssd ? held : { ...held, sdnn, rmssd };
}

/** Movement explains all values with the timestamp of the reading or none, in any order of arrival. */
function align(track: RunningMean | undefined, { atMs, isSkipped }: Lesson): RunningMean | undefined {
  const flag = isSkipped || undefined;
  return track?.atMs === atMs && track.isSkipped !== flag ? { ...track, isSkipped: flag } : track;
}

function byRecency(a: DeviceVariability, b: DeviceVariability): number {
  return newestAtMs(b) - newestAtMs(a) || (a.device < b.device ? -1 : 1);
}

/** Returns the timestamp of the newest value, epoch ms. 0 if there is none. */
export function newestAtMs({ sdnn, rmssd }: Variability): number {
  return Math.max(sdnn?.atMs ?? 0, rmssd?.atMs ?? 0);
}
