/** What is usual for a person, from the hours of other days. */
import type { SubjectSummary, SummaryRow } from '../client/src/index.js';

type Row = Pick<SummaryRow, 'start' | 'readings' | 'state_seconds' | 'stress_score'>;

/** Times in which the service did not run. */
export type NotObserved = NonNullable<SubjectSummary['not_observed']>;

/** A comparison requires as many other days. */
export const comparedDaysMin = 4;
/** The comparison reads the hours of these days. */
export const comparedDays = 28;
const [hourMs, dayMs] = [3_600_000, 86_400_000];
/** A shorter time of an hour says little about the hour, seconds. */
const measuredMin = 900;

export interface StressTime {
  readonly seconds: number;
  /** Readings of stress with no other reading in their hour. A single reading has no duration. */
  readonly lone: number;
}

/** Returns the time of stress in hours or days. */
export function measureStress(rows: readonly Row[]): StressTime {
  let [seconds, lone] = [0, 0];
  for (const [index, row] of rows.entries()) {
    if (row.readings === 0) continue;
    // A row without readings contains the end of the state before it.
    const next = rows[index + 1];
    const found = stressOf(row) + (next?.readings === 0 ? stressOf(next) : 0);
    if (row.readings === 1) lone += found > 0 ? 1 : 0;
    else seconds += found;
  }
  const [first] = rows;
  return { seconds: seconds + (first?.readings === 0 ? stressOf(first) : 0), lone };
}

function stressOf({ state_seconds: { stressed, acute_stress } }: Row): number {
  return stressed + acute_stress;
}

/** Returns how much of a time was not observed, in seconds. */
export function countNotObserved(absences: NotObserved, fromMs: number, toMs: number): number {
  const parts = absences.map(({ from, to }) => Math.min(Date.parse(to), toMs) - Math.max(Date.parse(from), fromMs));
  return parts.reduce((sum, ms) => sum + Math.max(0, ms), 0) / 1_000;
}

/** Returns true if the service observed the time from the first to the last of these hours, or to `toMs`, without a break. */
function isObserved(rows: readonly Row[], absences: NotObserved, toMs = Date.parse(rows.at(-1)?.start ?? '') + hourMs) {
  const [first] = rows;
  return !first || countNotObserved(absences, Date.parse(first.start), toMs) === 0;
}

export function measuredSeconds(rows: readonly Row[]): number {
  return rows.reduce((total, row) => total + Object.values(row.state_seconds).reduce((sum, it) => sum + it, 0), 0);
}

/** Returns the value below which a share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const [low = 0, high = low] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return low + (high - low) * (place - Math.floor(place));
}

/** Returns the hours of the day that contains a time, in the reader's time zone. */
export function hoursOfDay<R extends Row>(hours: readonly R[], atMs: number): R[] {
  const day = new Date(atMs).toDateString();
  return hours.filter(({ start }) => new Date(start).toDateString() === day);
}

/** Returns the hours of each of the 28 days before the day that contains a time. */
function listOtherDays(hours: readonly Row[], atMs: number): Array<readonly Row[]> {
  const days = new Map<string, Row[]>();
  const today = new Date(atMs).toDateString();
  for (const row of hours) {
    const startMs = Date.parse(row.start);
    const day = new Date(startMs).toDateString();
    if (startMs > atMs || startMs < atMs - (comparedDays + 1) * dayMs || day === today) continue;
    days.set(day, [...(days.get(day) ?? []), row]);
  }
  return [...days.values()];
}

/** Returns the hour on the reader's clock at which the hour of UTC began that contains a time. */
function hourAt(time: string | number): number {
  return new Date(Math.floor(new Date(time).getTime() / hourMs) * hourMs).getHours();
}

/**
 * Returns whether the stress of this hour, in seconds so far, is already longer than that of the whole hour on three of four
 * other days. Undefined with fewer than four other days that measured this hour, and observed all of it.
 */
export function compareHour(
  hours: readonly Row[],
  nowMs: number,
  seconds: number,
  absences: NotObserved = [],
): 'more' | 'usual' | undefined {
  const others = listOtherDays(hours, nowMs)
    .map((day) => day.filter(({ start }) => hourAt(start) === hourAt(nowMs)))
    .filter((day) => measuredSeconds(day) >= measuredMin && isObserved(day, absences));
  if (others.length < comparedDaysMin) return undefined;
  const usual = quantile(
    others.map((day) => measureStress(day).seconds),
    0.75,
  );
  return seconds > usual ? 'more' : 'usual';
}

/**
 * Compares the stress of today with that of other days up to this hour. The present hour is not complete: "more" compares with
 * the whole hour of other days, "less" with the hours before it. Undefined with fewer than four days of a similar measured time.
 * What the service did not observe is no calm: such a day is never "less" or "usual", and other days with it do not count.
 */
export function compareDay(
  hours: readonly Row[],
  nowMs: number,
  absences: NotObserved = [],
): 'more' | 'less' | 'usual' | undefined {
  const today = hoursOfDay(hours, nowMs);
  const before = (day: readonly Row[]) => day.filter(({ start }) => hourAt(start) < hourAt(nowMs));
  const measured = measuredSeconds(before(today));
  const isSimilar = (day: readonly Row[]) => {
    const share = measuredSeconds(before(day)) / measured;
    return share >= 0.5 && share <= 2 && isObserved(before(day), absences);
  };
  const others = measured < 4 * measuredMin ? [] : listOtherDays(hours, nowMs).filter(isSimilar);
  if (others.length < comparedDaysMin) return undefined;
  const { seconds } = measureStress(today);
  const withHour = others.map((day) => day.filter(({ start }) => hourAt(start) <= hourAt(nowMs)));
  const stress = (days: readonly (readonly Row[])[]) => days.map((day) => measureStress(day).seconds);
  if (seconds > quantile(stress(withHour), 0.75)) return 'more';
  if (!isObserved(today, absences, nowMs)) return undefined;
  return seconds < quantile(stress(others.map(before)), 0.25) ? 'less' : 'usual';
}

export interface UsualHour {
  /** The hour on the reader's clock. */
  readonly hour: number;
  /** The middle half of the mean scores of this hour. */
  readonly low: number;
  readonly high: number;
  readonly days: number;
}

/** Returns the usual scores per hour of the day, of each hour that at least four days before the given one measured. */
export function findUsualHours(hours: readonly Row[], atMs: number): UsualHour[] {
  const others = listOtherDays(hours, atMs);
  return Array.from({ length: 24 }, (_, hour) => hour).flatMap((hour) => {
    const found = others.flatMap((day) => day.find(({ start }) => hourAt(start) === hour)?.stress_score?.mean ?? []);
    if (found.length < comparedDaysMin) return [];
    return [{ hour, low: quantile(found, 0.25), high: quantile(found, 0.75), days: found.length }];
  });
}

/** Returns the stress of the present hour of a state that has lasted for some time, seconds. */
export function stressOfHour(lastedMs: number, nowMs: number): number {
  return Math.min(lastedMs, nowMs % hourMs) / 1_000;
}
