import { alerts as settings, summaries } from '../../generated/spec.js';
import type { Trigger } from '../../packages/score/rows/trigger.js';
import type { Hour } from '../../packages/score/summary.js';
import { findLowestScore } from '../../packages/score/usual.js';
import type { Schema } from '../contract/contract.js';
import type { StoredAlertRule } from '../store/alerts.js';
import type { Point } from '../store/people-facts.js';
import { type Absence, addObserved } from '../store/service-runs.js';

/** A person whose check fails, or who has a reading during it, is due again after this time, in ms. */
export const repeatMs = settings.repeat_seconds * 1000;
const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** A score counts until the next reading, but at most for this time, in ms. */
const gapMs = summaries.state_seconds_max * 1000;
const stressedMin = findLowestScore('stressed');

/** What conditions are computed from. */
export interface PersonFacts {
  /** Time of the newest live reading in epoch ms. Undefined if there was none. */
  readonly newestMs: number | undefined;
  /** The readings of the time that the rules concern, newest first, down to the first one whose score is low for each rule. */
  readonly points: readonly Point[];
  /** The usual level of the person at this time. Undefined if it is not known. */
  readonly usual: number | undefined;
  /** The times in which the service did not run, oldest first. They are no silence of the person. */
  readonly absences: readonly Absence[];
  /** The changes by which the active topics became active. */
  readonly activations: Trigger['changes'];
}

/** A true condition. It became true at `sinceMs`, in epoch ms. Without it, the rule fires again while the condition lasts. */
export interface Truth {
  readonly sinceMs?: number;
}

/** Whether a condition is true for a person, and what may make it true later. */
export interface Check {
  readonly truth?: Truth | undefined;
  /** When the condition may become true, whether or not readings follow. */
  readonly nextMs?: number | undefined;
  /** The other fields are those of `AlertPlan`. */
  readonly level?: number | undefined;
  readonly untilMs?: number | undefined;
  readonly sinceMs?: number | undefined;
  /** Absent: the duration of the rule. */
  readonly afterMs?: number | undefined;
}

type Condition = (rule: StoredAlertRule, facts: PersonFacts, nowMs: number) => Check;

/** Checks the condition of a rule for a person. A further condition has its name in the contract, and a row. */
export const conditions: { readonly [Name in Schema<'AlertCondition'>]: Condition } = {
  stressed: checkHigh,
  above_usual(rule, facts, nowMs) {
    const { nextMs = Infinity, ...check } = checkHigh(rule, facts, nowMs);
    const untilMs = findBlock(nowMs) + blockMs;
    return isLive(facts, nowMs) ? { ...check, nextMs: Math.min(nextMs, untilMs) } : { ...check, untilMs };
  },
  no_data({ hours = settings.default_hours }, { newestMs, absences }, nowMs) {
    if (newestMs === undefined) return { level: 0 };
    const trueMs = addObserved(newestMs, hours * hourMs, absences);
    if (nowMs < trueMs) return { nextMs: trueMs };
    return { level: 0, truth: isFresh(trueMs, nowMs) ? { sinceMs: newestMs } : undefined };
  },
  trigger_active(_, { activations }, nowMs) {
    const fresh = activations.filter(({ atMs }) => isFresh(atMs, nowMs));
    const times = fresh.map(({ atMs, storedMs = atMs }) => Math.max(atMs, storedMs));
    return { truth: times.length > 0 ? { sinceMs: Math.max(...times) } : undefined };
  },
};

/** Returns the lowest score that counts for a rule. Infinity if none does. */
export function findLevel({ condition }: StoredAlertRule, usual: number | undefined): number {
  if (condition === 'stressed') return stressedMin;
  // Above the usual level, so a score equal to it does not count.
  return condition === 'above_usual' && usual !== undefined ? Math.floor(usual) + 1 : Infinity;
}

/** Returns the shortest time from a reading to an alert, in ms. Infinity for a rule that waits for a topic. */
export function findDuration({ condition, minutes, hours }: StoredAlertRule): number {
  if (condition === 'trigger_active') return Infinity;
  if (condition === 'no_data') return (hours ?? settings.default_hours) * hourMs;
  return (minutes ?? settings.default_minutes) * minuteMs;
}

const isFresh = (becameTrueMs: number, nowMs: number) =>
  becameTrueMs <= nowMs && nowMs - becameTrueMs <= settings.fresh_hours * hourMs;

/** Returns true if the newest score still counts. */
export const isLive = ({ newestMs = -Infinity }: Pick<PersonFacts, 'newestMs'>, nowMs: number) =>
  nowMs - newestMs <= gapMs;

/** Returns how old a reading is at most that a rule concerns, in ms. */
export const findSpan = (rule: StoredAlertRule) => findDuration(rule) + 2 * gapMs;

function checkHigh(rule: StoredAlertRule, facts: PersonFacts, nowMs: number): Check {
  const level = findLevel(rule, facts.usual);
  if (!isLive(facts, nowMs)) return { level };
  const { points } = facts;
  const ms = findDuration(rule);
  const sinceMs = findHighStart(points, level, nowMs);
  if (sinceMs === undefined) return { level };
  if ((points[0]?.timestampMs ?? 0) - sinceMs >= ms) return { truth: {}, sinceMs };
  // Once the time is over, the next reading decides.
  return sinceMs + ms > nowMs ? { nextMs: sinceMs + ms, sinceMs } : { level, afterMs: 0, sinceMs };
}

/**
 * Returns the time since which readings, newest first, have at least a score, in epoch ms. A single reading is the start of a
 * time, and a gap ends it.
 */
function findHighStart(points: readonly Point[], minScore: number, nowMs: number): number | undefined {
  let [laterMs, startMs]: [number, number | undefined] = [nowMs, undefined];
  for (const { timestampMs, score, confidence } of points) {
    if (laterMs - timestampMs > gapMs || confidence === 0 || score < minScore) break;
    laterMs = timestampMs;
    startMs = timestampMs;
  }
  return startMs;
}

const blockMs = settings.usual.block_hours * hourMs;
const findBlock = (nowMs: number) => Math.floor(nowMs / blockMs) * blockMs;

/** Returns the starts of the hours that the usual level at a time is computed from, in epoch ms. */
export function listUsualHours(nowMs: number): number[] {
  const { block_hours: length, days } = settings.usual;
  const today = findBlock(nowMs);
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
