import { signalAges } from '../../generated/spec.js';
import type { SessionState, StateReading } from '../client/src/index.js';

/** A signal of this age no longer counts, ms. */
export const signalLifetimeMs = signalAges.stale_after_seconds * 1_000;

const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** Returns e.g. `now`, `4 s ago` or `3 min ago`. */
export function age(atMs: number, nowMs: number): string {
  const passedMs = nowMs - atMs;
  const [unitMs, unit] = units.find(([ms]) => passedMs >= ms) ?? [0, ''];
  return unit === '' ? 'now' : `${Math.floor(passedMs / unitMs)} ${unit} ago`;
}

/** Returns true if no signal of a session counts anymore. `newestMs` is the time of its newest reading. */
export function hasEnded(newestMs: number, nowMs: number): boolean {
  return nowMs - newestMs >= signalLifetimeMs;
}

/** Returns the state that a reading shows: unknown without evidence. */
export function shownState({ state, evidence }: Pick<StateReading, 'state' | 'evidence'>): SessionState {
  return evidence ? 'unknown' : state;
}

/** Returns a name of the contract in words, e.g. `acute stress` for `acute_stress`. Keeps hyphens. */
export function words(name: string): string {
  return name.replaceAll('_', ' ');
}

/** Returns a name of the contract as the beginning of a text, e.g. `Acute stress`. */
export function label(name: string): string {
  const text = words(name);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns the name of a signal: `Heart rate` for `heart_rate`, and abbreviations in capitals. */
export function signalName(name: string): string {
  return label(name).replace(/\b(sdnn|rmssd|eda|spo2|pnn50|eeg|rr|ibi)\b/i, (it) => it.toUpperCase());
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, it) => total + it, 0);
}

/** Returns the time of day in the reader's time zone, e.g. `14:03` or `14:03:27`. */
export function timeOfDay(atMs: number, precision: 'minutes' | 'seconds' = 'minutes'): string {
  const seconds = precision === 'seconds' ? ({ second: '2-digit' } as const) : {};
  return new Date(atMs).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', ...seconds });
}

/** Returns e.g. `26 Nov`, in the reader's time zone. */
export function dayAndMonth(atMs: number): string {
  return new Date(atMs).toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
}

export function dateAndTime(atMs: number): string {
  return `${dayAndMonth(atMs)}, ${timeOfDay(atMs, 'seconds')}`;
}

/** Returns the time of day with seconds, and with the date if it is not today. */
export function whenOf(atMs: number, nowMs: number): string {
  const isToday = new Date(atMs).toDateString() === new Date(nowMs).toDateString();
  return isToday ? timeOfDay(atMs, 'seconds') : dateAndTime(atMs);
}

/** Returns the time of day, or the date for a time that is not of the last 12 hours. */
export function whenShort(atMs: number, nowMs: number): string {
  return nowMs - atMs < 12 * 3_600_000 ? timeOfDay(atMs) : dayAndMonth(atMs);
}
