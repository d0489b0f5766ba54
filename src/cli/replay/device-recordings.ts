import type { Format } from '../../recordings/field-map.js';
import { Minutes, type RecordedReading } from '../../recordings/minutes.js';
import { readRecording } from '../../recordings/read-recording.js';
import type { RecordedWindow } from '../../recordings/recorded-window.js';

/** A longer recording is shown per day, because a row per hour would not fit on a screen. */
const hoursPerRowMax = 48;

export interface DeviceRecording {
  readonly path: string;
  readonly format: Format;
}

/**
 * Returns the readings of a person's recordings, oldest first, at most one per minute (more only with beats). Prints the
 * number of readings and of skipped values per reason to standard error.
 */
export async function loadDeviceRecordings(
  recordings: readonly DeviceRecording[],
  { hours, utcOffset }: { readonly hours: number; readonly utcOffset: number },
  naming: (file: string, work: () => Promise<void>) => Promise<void>,
): Promise<RecordedWindow[]> {
  const minutes = new Minutes({ hours, nowMs: Date.now() });
  for (const { path, format } of recordings)
    await naming(path, () => readRecording({ path, utcOffsetMs: utcOffset }, format, minutes));
  const readings = minutes.readings();
  const formats = [...new Set(recordings.map(({ format }) => format))].join(', ');
  console.error(`Read ${formats}: ${readings.length} readings${spanOf(readings)}.`);
  const skipped = [...minutes.skipped].sort(([, a], [, b]) => b - a);
  if (skipped.length > 0) console.error('Skipped values:');
  for (const [reason, count] of skipped) console.error(`  ${count} × ${reason}`);
  if (readings.length === 0)
    throw new Error(
      `no heart rate, variability or beats in ${recordings.map(({ path }) => path).join(', ')}: see docs/recordings.md`,
    );
  const isLong = (readings.at(-1)?.atMs ?? 0) - (readings[0]?.atMs ?? 0) > hoursPerRowMax * 3_600_000;
  return readings.map((reading, index) => toWindow(reading, { line: index + 1, isLong, label: formats }));
}

interface Placing {
  readonly line: number;
  readonly isLong: boolean;
  readonly label: string;
}

/** One session per hour, because a session accepts 120 readings per minute (LIMIT_SESSION_REQUESTS_PER_MINUTE). */
function toWindow({ atMs, values }: RecordedReading, { line, isLong, label }: Placing): RecordedWindow {
  const hour = new Date(atMs).toISOString().slice(0, 13);
  const task = isLong ? hour.slice(0, 10) : `${hour.replace('T', ' ')}:00`;
  return { line, atMs, part: hour, subject: 'recording', task, label, values, clamped: [] };
}

function spanOf(readings: readonly RecordedReading[]): string {
  const [first, last] = [readings[0], readings.at(-1)];
  if (!first || !last) return '';
  return `, ${new Date(first.atMs).toISOString()} to ${new Date(last.atMs).toISOString()}`;
}
