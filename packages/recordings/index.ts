export { type Format, formats } from './field-map.js';
export { detectFormat, readRecording } from './load.js';
export type { Fact, Item, Measurement, Recording } from './measurement.js';
export { Minutes, type RecordedReading } from './minutes.js';
