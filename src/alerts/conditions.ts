import { alerts as settings, bands, summaries } from '../../generated/spec.js';
import type { Trigger } from '../../packages/score/rows/trigger.js';
import type { Hour } from '../../packages/score/summary.js';
import type { Schema } from '../contract/contract.js';
import type { StoredAlertRule } from '../store/alerts.js';
import { type Absence, addObserved } from '../store/service-runs.js';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** A score counts until the next reading, but at most for this time, in ms. */
export const gapMs = summaries.state_seconds_max * 1000;
const stressedMin = bands.find(({ state }) => state === 'stressed')?.min_score ?? Infinity;

export interface Point {
  readonly timestampMs: number;
  readonly score: number;
  readonly confidence: number;
}

/** What conditions are computed from. A function reads from the database when a condition needs it. */
export interface PersonFacts {
  /** Time of the newest live reading in epoch ms. Undefined if there was none. */
  readonly newestMs: number | undefined;
  /** Returns the readings of the last `ms`, newest first. */
  readonly points: (ms: number) => Promise<readonly Point[]>;
  /** Returns the usual level of the person at this time. Undefined if it is not known. */
  readonly usual: () => Promise<number | undefined>;
  /** Returns the times in which the service did not run, oldest first. They are no silence of the person. */
  readonly absences: () => Promise<readonly Absence[]>;
  /** Returns the changes by which the active topics became active. */
  readonly activations: () => Promise<Trigger['changes']>;
}

/** A true condition. It became true at `sinceMs`, in epoch ms. Without it, the rule fires again while the condition lasts. */
export interface Truth {
  readonly sinceMs?: number;
}

type Condition = (rule: StoredAlertRule, facts: PersonFacts, nowMs: number) => Promise<Truth | undefined>;

/** Returns whether the condition of a rule is true for a person. A further condition has its name in the contract, and a row. */
export const conditions: { readonly [Name in Schema<'AlertCondition'>]: Condition } = {
  stressed: (rule, facts, nowMs) => findHigh(rule, facts, nowMs, async () => stressedMin),
  // Above the level, so a score equal to it does not count.
  above_usual: (rule, facts, nowMs) =>
    findHigh(rule, facts, nowMs, async () => Math.floor((await facts.usual()) ?? Infinity) + 1),
  async no_data({ hours = settings.default_hours }, { newestMs, absences }, nowMs) {
    if (newestMs === undefined) return undefined;
    const dueMs = addObserved(newestMs, hours * hourMs, await absences());
    return isFresh(dueMs, nowMs) ? { sinceMs: newestMs } : undefined;
  },
  async trigger_active(_, { activations }, nowMs) {
    const fresh = (await activations()).filter(({ atMs }) => isFresh(atMs, nowMs));
    const times = fresh.map(({ atMs, storedMs = atMs }) => Math.max(atMs, storedMs));
    return times.length > 0 ? { sinceMs: Math.max(...times) } : undefined;
  },
};

const isFresh = (becameTrueMs: number, nowMs: number) =>
  becameTrueMs <= nowMs && nowMs - becameTrueMs <= settings.fresh_hours * hourMs;

async function findHigh(
  { minutes = settings.default_minutes }: StoredAlertRule,
  { newestMs = -Infinity, points }: PersonFacts,
  nowMs: number,
  findMin: () => Promise<number>,
): Promise<Truth | undefined> {
  if (nowMs - newestMs > gapMs) return undefined;
  const ms = minutes * minuteMs;
  return isHighFor(await points(ms + 2 * gapMs), await findMin(), ms, nowMs) ? {} : undefined;
}

/**
 * Returns true if readings, newest first, have at least a score for `ms`, up to the newest one. The time is that from one
 * reading to another, so that a single reading is never a duration.
 */
export function isHighFor(points: readonly Point[], minScore: number, ms: number, nowMs: number): boolean {
  const [newest] = points;
  let laterMs = nowMs;
  for (const { timestampMs, score, confidence } of points) {
    if (laterMs - timestampMs > gapMs || confidence === 0 || score < minScore) return false;
    if (newest && newest.timestampMs - timestampMs >= ms) return true;
    laterMs = timestampMs;
  }
  return false;
}

/** Returns the starts of the hours that the usual level at a time is computed from, in epoch ms. */
export function listUsualHours(nowMs: number): number[] {
  const { block_hours: length, days } = settings.usual;
  const today = Math.floor(nowMs / (length * hourMs)) * length * hourMs;
  return Array.from({ length: days * length }, (_, index) => {
    const day = 1 + Math.floor(index / length);
    return today - day * dayMs + (index % length) * hourMs;
  });
}

/** Returns the percentile of the mean scores of hours. Undefined if they are of too few days. */
export function computeUsual(hours: readonly Hour[]): number | undefined {
  const means = hours.flatMap(({ scores }) => (scores ? scores.sum / scores.count : [])).sort((a, b) => a - b);
  const days = new Set(hours.flatMap(({ scores, startMs }) => (scores ? Math.floor(startMs / dayMs) : [])));
  if (days.size < settings.usual.days_min) return undefined;
  return means[Math.ceil((settings.usual.percentile / 100) * means.length) - 1];
}

/** Returns true if a time is within quiet hours. */
export function isQuiet({ quietHours }: StoredAlertRule, nowMs: number): boolean {
  if (!quietHours) return false;
  const { from, to, time_zone: timeZone } = quietHours;
  // Swedish writes the time as 22:00.
  const time = new Intl.DateTimeFormat('sv-SE', { timeZone, hour: '2-digit', minute: '2-digit' }).format(nowMs);
  return from <= to ? from <= time && time < to : time >= from || time < to;
}
