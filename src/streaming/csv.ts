import { fields } from '../../generated/spec.js';
import { toCell } from '../../packages/recordings/csv-cell.js';
import type { Schema } from '../contract/contract.js';

/** Texts and `derive_sentiment` are never stored, and a device names the session: they have no column. */
type Unstored = 'user_message' | 'ai_response' | 'derive_sentiment' | 'device_id';
const isStored = <Name extends string>(name: Name): name is Exclude<Name, Unstored> =>
  !['user_message', 'ai_response', 'derive_sentiment', 'device_id'].includes(name);
/** The object has a column per field. */
const isCell = <Name extends string>(name: Name): name is Exclude<Name, 'adaptation_effectiveness'> =>
  name !== 'adaptation_effectiveness';
const readingFields = fields.SignalSubmission.filter(isStored);
const computedFields = fields.ExportedComputation.filter(isCell);
const effectivenessFields = fields.AdaptationEffectiveness;

/** A value that the service derived has the name of the signal that a reading states. */
const toDerivedColumn = (name: string) =>
  (readingFields as readonly string[]).includes(name) ? `derived_${name}` : name;

export const csvHeader = `${[
  ...readingFields,
  ...computedFields.map(toDerivedColumn),
  ...effectivenessFields,
  'cursor',
].join(',')}\r\n`;

/** Returns a reading as a row of CSV (RFC 4180), with its line break. */
export function toCsvRow({ reading, computed, cursor }: Schema<'ExportedReading'>): string {
  const { adaptation_effectiveness: effectiveness } = computed;
  let row = '';
  for (const field of readingFields) row += `${toCell(reading[field])},`;
  for (const field of computedFields) row += `${toCell(computed[field])},`;
  for (const field of effectivenessFields) row += `${toCell(effectiveness?.[field])},`;
  return `${row}${cursor}\r\n`;
}
