import { readFile } from 'node:fs/promises';
import type { Format } from '../../recordings/field-map.js';
import { detectFormat } from '../../recordings/read-recording.js';
import { readWindows } from '../../recordings/read-windows.js';
import type { RecordedWindow } from '../../recordings/recorded-window.js';
import { type DeviceRecording, loadDeviceRecordings } from './device-recordings.js';

export interface RecordingOptions {
  /** Files of one recording. A text if the option was not given. */
  readonly file: string | readonly string[];
  /** Detected from the content if absent. */
  readonly format?: Format | 'windows';
  /** The newest hours of a recording of a device that are sent. */
  readonly hours: number;
  /** Offset of local times in recordings of devices, ms. */
  readonly utcOffset: number;
  readonly subject?: string;
  /** Sends readings with the times of the recording. */
  readonly backfill: boolean;
}

/** Returns the windows of all files. Rejects with an error that names the file or the option. */
export async function loadRecording(options: RecordingOptions): Promise<RecordedWindow[]> {
  const files = [options.file].flat();
  const formats = await Promise.all(
    files.map((file) => naming(file, async () => options.format ?? detectFormat(file))),
  );
  const devices = files.flatMap((path, index): DeviceRecording[] => {
    const format = formats[index];
    return format && format !== 'windows' ? [{ path, format }] : [];
  });
  if (devices.length === 0) return loadWindows(files, options);
  if (devices.length < files.length)
    throw new Error('pass files with the columns subject, task and label separately from recordings of devices');
  return loadDeviceRecordings(devices, options, naming);
}

async function loadWindows(
  [file = '', ...more]: readonly string[],
  { backfill, subject }: RecordingOptions,
): Promise<RecordedWindow[]> {
  if (backfill) throw new Error('--backfill requires a recording of a device, which has times');
  if (subject !== undefined)
    throw new Error('--subject requires a recording of a device: this file names its subjects');
  if (more.length > 0) throw new Error('pass one file with the columns subject, task and label');
  return naming(file, async () => readWindows(await readFile(file, 'utf8')));
}

/** Adds the name of the file to an error. */
async function naming<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`cannot read --file ${file}: ${(error as Error).message}`);
  }
}
