import type { TopicName } from '../text/vocabulary.js';
import { summaries as settings } from './generated/contract.js';
import type { State } from './rows/values.js';
import { findBand } from './states.js';

export const hourMs = 3_600_000;
/** How long the state of a reading counts at most, in ms. */
export const stateMs = settings.state_seconds_max * 1000;

/** The part of a reading that summaries use. */
export interface CountedReading {
  /** Time of measurement in epoch ms. */
  readonly timestampMs: number;
  /** Undefined without evidence. Such a reading ends the state before it, and starts none. */
  readonly score: number | undefined;
  /** Heart rate in bpm. Absent if none was stated or derived. */
  readonly heartRate?: number | undefined;
  readonly topics: readonly string[];
}

/** Number, sum and extremes of the values of an hour. */
export interface Spread {
  readonly count: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
}

/** Summary of one person in one UTC hour. */
export interface Hour {
  /** Start in epoch ms. */
  readonly startMs: number;
  /** Duration of each state in ms. */
  readonly stateMs: Readonly<Record<State, number>>;
  /** Scores of all readings with evidence. Undefined without such a reading. */
  readonly scores: Spread | undefined;
  /** Undefined if no reading has a heart rate in bpm. */
  readonly heartRates: Spread | undefined;
  /** At most `topics_max` names, sorted. */
  readonly topics: readonly string[];
}

interface OpenHour extends Hour {
  readonly stateMs: Record<State, number>;
  scores: Spread | undefined;
  heartRates: Spread | undefined;
  /** Number of readings by topic. */
  readonly sightings: Map<string, number>;
}

/**
 * Begins the timeline of a person, of the hours from `fromMs` to `toMs`. Readings before `fromMs` only start states.
 *
 * Orders the readings of all sessions by time. The newest reading therefore counts where sessions overlap, and no second
 * counts twice. Of readings with the same timestamp, the one with the highest score counts.
 */
export function beginTimeline(fromMs: number, toMs: number) {
  const hours = new Map<number, OpenHour>();
  let last: CountedReading | undefined;
  const hourAt = (ms: number) => {
    const startMs = floorHour(ms);
    const known = hours.get(startMs);
    if (known) return known;
    const hour = { ...emptyHour(startMs), sightings: new Map() };
    hours.set(startMs, hour);
    return hour;
  };
  const endState = (atMs: number) => {
    if (last?.score === undefined) return;
    const { state } = findBand(last.score);
    const endMs = Math.min(last.timestampMs + stateMs, atMs, toMs);
    for (let ms = Math.max(last.timestampMs, fromMs); ms < endMs;) {
      const untilMs = Math.min(floorHour(ms) + hourMs, endMs);
      hourAt(ms).stateMs[state] += untilMs - ms;
      ms = untilMs;
    }
  };
  return {
    /** Adds readings of any order. No reading may be older than those of earlier calls. */
    add(readings: readonly CountedReading[]): void {
      for (const reading of [...readings].sort(byTime)) {
        endState(reading.timestampMs);
        if (!last || byTime(last, reading) <= 0) last = reading;
        if (reading.timestampMs >= fromMs && reading.timestampMs < toMs)
          countReading(hourAt(reading.timestampMs), reading);
      }
    },
    /** Returns the hours with data, by their start. Ends the state of the newest reading at `nowMs` at the latest. */
    finish(nowMs: number): Map<number, Hour> {
      endState(nowMs);
      return new Map([...hours].map(([startMs, hour]) => [startMs, closeHour(hour)]));
    },
  };
}

/** Sorts readings completely, so that sums of decimals are always added in the same order. */
function byTime(a: CountedReading, b: CountedReading): number {
  const byScore = (a.score ?? -1) - (b.score ?? -1);
  return a.timestampMs - b.timestampMs || byScore || (a.heartRate ?? 0) - (b.heartRate ?? 0);
}

function countReading(hour: OpenHour, { score, heartRate, topics }: CountedReading): void {
  if (score !== undefined) hour.scores = addSpread(hour.scores, { count: 1, sum: score, min: score, max: score });
  if (heartRate !== undefined)
    hour.heartRates = addSpread(hour.heartRates, { count: 1, sum: heartRate, min: heartRate, max: heartRate });
  for (const topic of topics) hour.sightings.set(topic, (hour.sightings.get(topic) ?? 0) + 1);
}

function closeHour({ sightings, ...hour }: OpenHour): Hour {
  const frequent = [...sightings].sort(([a, times], [b, others]) => others - times || (a < b ? -1 : 1));
  const topics = frequent.slice(0, settings.topics_max).map(([topic]) => topic);
  return { ...hour, topics: topics.sort() };
}

function emptyHour(startMs: number): Hour & Pick<OpenHour, 'stateMs'> {
  const durations = { calm: 0, relaxed: 0, focused: 0, stressed: 0, acute_stress: 0 };
  return { startMs, stateMs: durations, scores: undefined, heartRates: undefined, topics: [] };
}

function addSpread(a: Spread | undefined, b: Spread | undefined): Spread | undefined {
  if (!a || !b) return a ?? b;
  return { count: a.count + b.count, sum: a.sum + b.sum, min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

/**
 * Returns the rows of the hours, which must ascend. `calendar` groups the hours. `raisedHours` are in days that were raised as a
 * whole, in hours since 1970.
 */
export function toRows(
  hours: readonly Hour[],
  { formatKey, findStart, isDaily }: Calendar,
  raisedHours: readonly number[] = [],
) {
  const raised = new Set(isDaily ? raisedHours.map((it) => formatKey(it * hourMs)) : []);
  const groups = new Map<string, Hour>();
  for (const hour of hours) {
    const key = formatKey(hour.startMs);
    const group = groups.get(key);
    groups.set(key, group ? addHour(group, hour) : hour);
  }
  return [...groups].map(([key, hour]) => {
    const start = new Date(findStart(hour.startMs)).toISOString();
    return { start, ...(isDaily && { date: key }), ...(raised.has(key) && { raised_day: true }), ...toRow(hour) };
  });
}

function addHour(a: Hour, b: Hour): Hour {
  const states = Object.keys(a.stateMs) as State[];
  const durations = states.map((state) => [state, a.stateMs[state] + b.stateMs[state]]);
  return {
    startMs: a.startMs,
    stateMs: Object.fromEntries(durations) as Record<State, number>,
    scores: addSpread(a.scores, b.scores),
    heartRates: addSpread(a.heartRates, b.heartRates),
    topics: [...new Set([...a.topics, ...b.topics])].sort(),
  };
}

function toRow({ stateMs: durations, scores, heartRates, topics }: Hour) {
  const seconds = Object.entries(durations).map(([state, ms]) => [state, ms / 1000]);
  return {
    readings: scores?.count ?? 0,
    state_seconds: Object.fromEntries(seconds) as Record<State, number>,
    ...(scores && { stress_score: toStatistics(scores) }),
    ...(heartRates && { heart_rate: toStatistics(heartRates) }),
    topics: topics as TopicName[],
  };
}

function toStatistics({ count, sum, min, max }: Spread) {
  return { mean: round1(sum / count), min: round1(min), max: round1(max) };
}

function round1(value: number): number {
  return Math.round(value * 10) / 10;
}

export function floorHour(ms: number): number {
  return Math.floor(ms / hourMs) * hourMs;
}

/** Groups hours into rows. All times are in epoch ms. */
export interface Calendar {
  readonly isDaily: boolean;
  /** Returns the name of the row of an instant. */
  readonly formatKey: (ms: number) => string;
  /** Returns the first hour of the row of an instant. */
  readonly findStart: (ms: number) => number;
  /** Returns the first hour of the next row. */
  readonly findEnd: (ms: number) => number;
}

export const hourCalendar: Calendar = {
  isDaily: false,
  formatKey: (ms) => String(floorHour(ms)),
  findStart: floorHour,
  findEnd: (ms) => floorHour(ms) + hourMs,
};

/** Returns the calendar of the days of a time zone. Undefined for an unknown time zone. */
export function createDayCalendar(timeZone: string): Calendar | undefined {
  const format = createDateFormat(timeZone);
  if (!format) return undefined;
  const formatKey = (ms: number) => format.format(ms);
  const findStart = (ms: number) => {
    const date = formatKey(ms);
    let startMs = floorHour(ms);
    // A time zone whose offset is not a whole hour: the first hour of the day begins after the instant.
    if (formatKey(startMs) !== date) return startMs + hourMs;
    while (formatKey(startMs - hourMs) === date) startMs -= hourMs;
    return startMs;
  };
  const findEnd = (ms: number) => {
    const date = formatKey(ms);
    let endMs = floorHour(ms) + hourMs;
    while (formatKey(endMs) === date) endMs += hourMs;
    return endMs;
  };
  return { isDaily: true, formatKey, findStart, findEnd };
}

/** Returns a format of the form 2026-11-21, which is that of Swedish. Undefined for an unknown time zone. */
function createDateFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  } catch {
    return undefined;
  }
}
