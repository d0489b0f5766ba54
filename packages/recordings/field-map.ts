import { signals as contract } from '../../generated/spec.js';
import { type Field, type Signal, signals } from './signals.js';

/** The formats of devices and apps that `tools import` reads, apart from the recordings with labels in `samples/`. */
export const formats = [
  'apple-health',
  'fit',
  'tcx',
  'gpx',
  'polar-json',
  'polar-csv',
  'csv',
  'json',
  'fitbit',
  'health-connect',
] as const;
export type Format = (typeof formats)[number];
/** The end of an error about a file of another kind. */
export const formatsRead = `Formats that are read: ${formats.join(', ')}`;

export interface Mapping {
  readonly format: Format;
  /** Name in the recording: a record type, a field, a path, a column (lower case, with underscores) or table.column. */
  readonly name: string;
  readonly field: Field;
  /** Unit in the recording. Apple Health states the unit of each record, and records with another unit are skipped. */
  readonly unit: string;
  /** A value is multiplied by this number. */
  readonly factor: number;
}

/** Names of columns by field. A unit at the end of a name, e.g. `rr_ms`, may be left out here. */
const csvNames: readonly (readonly [field: Field, unit: string, names: string])[] = [
  ['heart_rate', 'bpm', 'heartrate heart_rate_bpm heart_rate_avg heart_rate_value hr hr_bpm bpm beats_per_minute'],
  ['heart_rate', 'bpm', 'pulse pulse_rate pulse_bpm pulse_rate_bpm heartrate_value heart_beat_rate'],
  ['heart_rate', 'bpm', 'puls herzfrequenz herzschlag herzrate frequence_cardiaque fréquence_cardiaque fc pouls'],
  ['heart_rate', 'bpm', 'frecuencia_cardiaca frecuencia_cardíaca pulso frequenza_cardiaca battito frequência_cardíaca'],
  ['heart_rate', 'bpm', 'hartslag tętno пульс чсс 心拍数 心率 脉搏 心跳 심박수 맥박 نبض'],
  [
    'rr_intervals_ms',
    'ms',
    'rr rri rr_interval rr_intervals rr_intervals_ms rr_duration r_r r_r_interval ibi ibi_interval',
  ],
  ['rr_intervals_ms', 'ms', 'nn nni nn_interval nn_intervals ppi pp_interval pp_intervals p_p_interval pulse_interval'],
  ['rr_intervals_ms', 'ms', 'inter_beat_interval interbeat_interval beat_interval pulse_length'],
  ['steps_last_minute', 'steps', 'steps step_count'],
];

/** Translates the names of recordings to the fields of a reading. */
export const fieldMap: readonly Mapping[] = [
  ...inFormat('apple-health', [
    ['HKQuantityTypeIdentifierHeartRate', 'heart_rate', 'count/min'],
    ['HKQuantityTypeIdentifierHeartRateVariabilitySDNN', 'sdnn', 'ms'],
    ['HKQuantityTypeIdentifierHeartRateVariabilityRMSSD', 'rmssd', 'ms'],
    ['HKQuantityTypeIdentifierRespiratoryRate', 'respiratory_rate', 'count/min'],
    ['HKQuantityTypeIdentifierStepCount', 'steps_last_minute', 'count'],
  ]),
  ...inFormat('fit', [
    ['record.heart_rate', 'heart_rate', 'bpm'],
    ['record.cadence', 'steps_last_minute', 'strides/min', 2],
    ['monitoring.heart_rate', 'heart_rate', 'bpm'],
    ['hr.filtered_bpm', 'heart_rate', 'bpm'],
    ['hrv.time', 'rr_intervals_ms', '1/1000 s'],
    ['hrv_value.value', 'rmssd', '1/128 ms', 1 / 128],
    ['record.respiration_rate', 'respiratory_rate', 'breaths/min'],
    ['record.enhanced_respiration_rate', 'respiratory_rate', '1/100 breaths/min', 0.01],
  ]),
  ...inFormat('tcx', [
    ['HeartRateBpm.Value', 'heart_rate', 'bpm'],
    ['Cadence', 'steps_last_minute', 'strides/min', 2],
    ['RunCadence', 'steps_last_minute', 'strides/min', 2],
  ]),
  ...inFormat('gpx', [
    ['hr', 'heart_rate', 'bpm'],
    ['heartrate', 'heart_rate', 'bpm'],
    ['heart_rate', 'heart_rate', 'bpm'],
    ['heartratebpm', 'heart_rate', 'bpm'],
    ['bpm', 'heart_rate', 'bpm'],
    ['pulse', 'heart_rate', 'bpm'],
    ['cad', 'steps_last_minute', 'strides/min', 2],
  ]),
  ...inFormat('polar-json', [
    ['exercises.*.samples.heartRate.*', 'heart_rate', 'bpm'],
    ['deviceDays.*.samples.*', 'heart_rate', 'bpm'],
    ['*.devicePpiSamplesList.*.ppiSamples.*', 'rr_intervals_ms', 'ms'],
  ]),
  ...inFormat('polar-csv', [['hr', 'heart_rate', 'bpm']]),
  ...inFormat('csv', [
    ...csvNames.flatMap(([field, unit, names]) => names.split(' ').map((name): Row => [name, field, unit])),
    ...signals.map((name): Row => [name, name, describeUnit(name)]),
  ]),
  ...inFormat('json', [
    ['data.*', 'heart_rate', 'bpm'],
    ['heartRateValues.*', 'heart_rate', 'bpm'],
    ['Data Points.*', 'heart_rate', 'bpm'],
  ]),
  ...inFormat('fitbit', [
    ['value.bpm', 'heart_rate', 'bpm'],
    ['value', 'steps_last_minute', 'steps'],
  ]),
  ...inFormat('health-connect', [
    ['heart_rate_record_series_table.beats_per_minute', 'heart_rate', 'bpm'],
    ['heart_rate_variability_rmssd_record_table.heart_rate_variability_millis', 'rmssd', 'ms'],
    ['respiratory_rate_record_table.rate', 'respiratory_rate', 'breaths/min'],
    ['steps_record_table.count', 'steps_last_minute', 'steps'],
  ]),
];

function describeUnit(signal: Signal): string {
  const row = contract[signal];
  return 'unit' in row ? row.unit : '';
}

type Row = readonly [name: string, field: Field, unit: string, factor?: number];

function inFormat(format: Format, rows: readonly Row[]): Mapping[] {
  return rows.map(([name, field, unit, factor = 1]) => ({ format, name, field, unit, factor }));
}

/** Returns the mappings of a format by name. */
export function listMappings(format: Format): ReadonlyMap<string, Mapping> {
  return new Map(fieldMap.filter((it) => it.format === format).map((it) => [it.name, it]));
}
