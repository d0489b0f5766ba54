/** One notification of a heart-rate sensor. */
export interface HeartRateMeasurement {
  /** bpm. */
  readonly heartRate: number;
  /** Times between beats since the previous notification, ms, oldest first. Empty if the sensor sends none. */
  readonly rrIntervalsMs: readonly number[];
  /** False while the sensor detects that it is not worn. Undefined if the sensor cannot detect it. */
  readonly hasContact: boolean | undefined;
}

/** Bits of the first byte. */
const flags = { wideRate: 1, contact: 2, detectsContact: 4, energy: 8, intervals: 16 };
const rrUnitsPerSecond = 1_024;

/**
 * Parses a value of the Bluetooth characteristic Heart Rate Measurement (0x2A37, Heart Rate Service 1.0, 3.1). Returns
 * undefined for a value that is too short.
 */
export function parseHeartRate(value: DataView): HeartRateMeasurement | undefined {
  if (value.byteLength < 2) return undefined;
  const has = (flag: number) => (value.getUint8(0) & flag) !== 0;
  const afterRate = has(flags.wideRate) ? 3 : 2;
  if (value.byteLength < afterRate) return undefined;
  const heartRate = has(flags.wideRate) ? value.getUint16(1, true) : value.getUint8(1);
  const first = afterRate + (has(flags.energy) ? 2 : 0);
  const length = has(flags.intervals) ? Math.max(0, Math.floor((value.byteLength - first) / 2)) : 0;
  const rrIntervalsMs = Array.from({ length }, (_, index) =>
    Math.round((value.getUint16(first + index * 2, true) / rrUnitsPerSecond) * 1_000),
  );
  return { heartRate, rrIntervalsMs, hasContact: has(flags.detectsContact) ? has(flags.contact) : undefined };
}
