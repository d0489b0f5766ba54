/** The formats of devices and apps that `replay` reads, apart from the recordings with labels in `samples/`. */
export const formats = ['apple-health', 'fit', 'polar-csv', 'csv', 'fitbit', 'health-connect'] as const;
export type Format = (typeof formats)[number];

/** The fields of a reading that recordings contain. */
export type Field = 'heart_rate' | 'sdnn' | 'rmssd' | 'rr_intervals_ms' | 'respiratory_rate' | 'steps_last_minute';

export interface Mapping {
  readonly format: Format;
  /** Name in the recording: a record type, a field, a column (lower case, with underscores) or table.column. */
  readonly name: string;
  readonly field: Field;
  /** Unit in the recording. Apple Health states the unit of each record, and records with another unit are skipped. */
  readonly unit: string;
  /** A value is multiplied by this number. Default: 1. */
  readonly factor?: number;
}

/** Translates the names of recordings to the fields of a reading. The guide docs/recordings.md shows this table. */
export const fieldMap: readonly Mapping[] = [
  { format: 'apple-health', name: 'HKQuantityTypeIdentifierHeartRate', field: 'heart_rate', unit: 'count/min' },
  { format: 'apple-health', name: 'HKQuantityTypeIdentifierHeartRateVariabilitySDNN', field: 'sdnn', unit: 'ms' },
  {
    format: 'apple-health',
    name: 'HKQuantityTypeIdentifierRespiratoryRate',
    field: 'respiratory_rate',
    unit: 'count/min',
  },
  { format: 'apple-health', name: 'HKQuantityTypeIdentifierStepCount', field: 'steps_last_minute', unit: 'count' },
  { format: 'fit', name: 'record.heart_rate', field: 'heart_rate', unit: 'bpm' },
  { format: 'fit', name: 'monitoring.heart_rate', field: 'heart_rate', unit: 'bpm' },
  { format: 'fit', name: 'hrv.time', field: 'rr_intervals_ms', unit: '1/1000 s' },
  { format: 'fit', name: 'record.respiration_rate', field: 'respiratory_rate', unit: 'breaths/min' },
  {
    format: 'fit',
    name: 'record.enhanced_respiration_rate',
    field: 'respiratory_rate',
    unit: '1/100 breaths/min',
    factor: 0.01,
  },
  { format: 'polar-csv', name: 'hr_bpm', field: 'heart_rate', unit: 'bpm' },
  ...['heart_rate', 'heartrate', 'heart_rate_bpm', 'hr', 'hr_bpm', 'bpm'].map((name): Mapping => ({
    format: 'csv',
    name,
    field: 'heart_rate',
    unit: 'bpm',
  })),
  { format: 'csv', name: 'sdnn', field: 'sdnn', unit: 'ms' },
  { format: 'csv', name: 'rmssd', field: 'rmssd', unit: 'ms' },
  { format: 'csv', name: 'rr_interval_ms', field: 'rr_intervals_ms', unit: 'ms' },
  { format: 'csv', name: 'respiratory_rate', field: 'respiratory_rate', unit: 'breaths/min' },
  { format: 'csv', name: 'steps', field: 'steps_last_minute', unit: 'steps' },
  { format: 'fitbit', name: 'value.bpm', field: 'heart_rate', unit: 'bpm' },
  { format: 'fitbit', name: 'value', field: 'steps_last_minute', unit: 'steps' },
  {
    format: 'health-connect',
    name: 'heart_rate_record_series_table.beats_per_minute',
    field: 'heart_rate',
    unit: 'bpm',
  },
  {
    format: 'health-connect',
    name: 'heart_rate_variability_rmssd_record_table.heart_rate_variability_millis',
    field: 'rmssd',
    unit: 'ms',
  },
  {
    format: 'health-connect',
    name: 'respiratory_rate_record_table.rate',
    field: 'respiratory_rate',
    unit: 'breaths/min',
  },
  { format: 'health-connect', name: 'steps_record_table.count', field: 'steps_last_minute', unit: 'steps' },
];

/** Returns the mappings of a format by name. */
export function mappingsOf(format: Format): ReadonlyMap<string, Mapping> {
  return new Map(fieldMap.filter((it) => it.format === format).map((it) => [it.name, it]));
}

/** Returns the value in the unit of our field. NaN stays NaN. */
export function convert({ factor = 1 }: Mapping, value: number): number {
  return value * factor;
}
