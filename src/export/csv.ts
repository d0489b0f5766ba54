import type { Schema } from '../contract.js';

type Reading = Schema<'ExportedReading'>['reading'];
type Computed = Schema<'ExportedComputation'>;
type Effectiveness = Schema<'AdaptationEffectiveness'>;
type Cell = string | number | boolean | readonly (string | number)[] | undefined;
type Cells<Fields> = { readonly [Field in keyof Required<Fields>]: string };

/** Column of each accepted field. Texts are never stored. */
const readingColumns: Cells<Omit<Reading, 'user_message' | 'ai_response'>> = {
  session_id: 'session_id',
  subject_id: 'subject_id',
  timestamp: 'timestamp',
  heart_rate: 'heart_rate',
  sdnn: 'sdnn',
  rmssd: 'rmssd',
  rr_intervals_ms: 'rr_intervals_ms',
  tone: 'tone',
  expression: 'expression',
  sentiment: 'sentiment',
  urgency: 'urgency',
  activity_level: 'activity_level',
  steps_last_minute: 'steps_last_minute',
  respiratory_rate: 'respiratory_rate',
  source_device: 'source_device',
  backfill: 'backfill',
};

/** Column of each computed field. */
const computedColumns: Cells<Omit<Computed, 'adaptation_effectiveness'>> = {
  state: 'state',
  stress_score: 'stress_score',
  confidence: 'confidence',
  model_version: 'model_version',
  heart_rate: 'derived_heart_rate',
  sdnn: 'derived_sdnn',
  rmssd: 'derived_rmssd',
  rr_quality: 'rr_quality',
  signals_received: 'signals_received',
  suggested_action: 'suggested_action',
  action_reason: 'action_reason',
  recommendation: 'recommendation',
  previous_state: 'previous_state',
  topics_detected: 'topics_detected',
  active_triggers: 'active_triggers',
  resolved_triggers: 'resolved_triggers',
};

const effectivenessColumns: Cells<Effectiveness> = {
  previous_action: 'previous_action',
  previous_score: 'previous_score',
  current_score: 'current_score',
  stress_delta: 'stress_delta',
  effective: 'effective',
};

const readingFields = Object.keys(readingColumns) as Array<keyof typeof readingColumns>;
const computedFields = Object.keys(computedColumns) as Array<keyof typeof computedColumns>;
const effectivenessFields = Object.keys(effectivenessColumns) as Array<keyof Effectiveness>;

/** The header row, with its line break. */
export const csvHeader = `${[
  ...Object.values(readingColumns),
  ...Object.values(computedColumns),
  ...Object.values(effectivenessColumns),
  'cursor',
].join(',')}\r\n`;

/** Returns a reading as a row of CSV (RFC 4180), with its line break. */
export function toCsvRow({ reading, computed, cursor }: Schema<'ExportedReading'>): string {
  const { adaptation_effectiveness: effectiveness } = computed;
  let row = '';
  for (const field of readingFields) row += `${cellOf(reading[field])},`;
  for (const field of computedFields) row += `${cellOf(computed[field])},`;
  for (const field of effectivenessFields) row += `${cellOf(effectiveness?.[field])},`;
  return `${row}${cursor}\r\n`;
}

/** Returns the text of a cell. Lists are separated by spaces, because their values contain none. */
function cellOf(value: Cell): string {
  if (value === undefined) return '';
  if (typeof value === 'object') return value.join(' ');
  return typeof value === 'string' ? textCell(value) : String(value);
}

/**
 * Quotes a text where RFC 4180 requires it. Adds an apostrophe to a text that starts like a formula, because
 * spreadsheets would run it (OWASP, CSV injection). Stored texts contain no line breaks.
 */
function textCell(text: string): string {
  const safe = /^[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
