import { isDeepStrictEqual } from 'node:util';
import type { Schema, StateReading } from '../../../src/contract/contract.js';
import type { Sent, SentReadings } from '../shared/load.js';
import { findMoves } from '../shared/verdict.js';

type History = Schema<'History'>;

/** A session as each service returns it. */
export interface Shown {
  readonly histories: readonly History[];
  readonly states: readonly StateReading[];
}

/** Titles of the violations. All counts are 0 when several services behave like one. */
export const faultTitles = {
  lost: 'acknowledged, but missing in the history',
  doubled: 'more than once in the history',
  invented: 'in the history, but never sent',
  outOfOrder: 'in the history before a reading with an earlier timestamp',
  unlikeAnswers: 'different in the history than in the response',
  answeredAnew: 'resends with a different response',
  // Occurs when a service did not use the previous reading that another service had stored.
  overwritten: 'responses without the previous reading',
  disagreed: 'sessions whose state or history differs between processes',
} as const;

export type Faults = Readonly<Record<keyof typeof faultTitles, number>>;
export const faultNames = Object.keys(faultTitles) as Array<keyof Faults>;

/** Compares two responses to a reading. */
type Equals = (a: unknown, b: unknown) => boolean;

/** Returns true if fields that both values have are equal. An earlier release omits fields that it does not know. */
export function agrees(a: unknown, b: unknown): boolean {
  const [first, second] = [a, b] as Array<Readonly<Record<string, unknown>>>;
  const areObjects = [a, b].every((it) => typeof it === 'object' && it !== null && !Array.isArray(it));
  if (!areObjects || !first || !second) return isDeepStrictEqual(a, b);
  return Object.keys(first).every((name) => !(name in second) || agrees(first[name], second[name]));
}

/** Compares the sent readings with the stored readings. Returns the number of each violation. */
export function judgeReadings(
  sent: SentReadings,
  shown: ReadonlyMap<string, Shown>,
  equals: Equals = isDeepStrictEqual,
): Faults {
  const all = [...sent].map(([session, readings]) => judgeSession(readings, shown.get(session), equals));
  const sums = faultNames.map((name) => [name, all.reduce((total, faults) => total + faults[name], 0)]);
  return Object.fromEntries(sums) as Faults;
}

function judgeSession(
  sent: readonly Sent[],
  { histories, states }: Shown = { histories: [], states: [] },
  equals: Equals,
): Faults {
  const points = histories[0]?.datapoints ?? [];
  const stored = points.map(({ timestamp }) => timestamp);
  const known = new Set(sent.map(({ reading }) => reading.timestamp));
  const pointAt = new Map(points.map((point) => [point.timestamp, point]));
  const moved = findMoves(sent);
  const agrees = [...histories, ...states].length > 0 && isOneEach(histories) && isOneEach(states);
  const isNewest = states[0]?.timestamp === moved.at(-1)?.timestamp && states[0]?.state === moved.at(-1)?.state;
  return {
    lost: [...known].filter((timestamp) => !pointAt.has(timestamp)).length,
    doubled: stored.length - new Set(stored).size,
    invented: [...new Set(stored)].filter((timestamp) => !known.has(timestamp)).length,
    outOfOrder: stored.filter((timestamp, index) => timestamp < (stored[index - 1] ?? '')).length,
    unlikeAnswers: moved.filter(({ timestamp, state, stress_score }) => {
      const point = pointAt.get(timestamp);
      return point && (point.state !== state || point.stress_score !== stress_score);
    }).length,
    answeredAnew: sent.flatMap(({ answers: [first, ...more] }) => more.filter((it) => !equals(it, first))).length,
    overwritten: moved.filter(
      (answer, index) => answer.adaptation_effectiveness?.previous_score !== moved[index - 1]?.stress_score,
    ).length,
    disagreed: agrees && isNewest ? 0 : 1,
  };
}

/** Returns true if all processes responded the same. */
export function isOneEach(shown: readonly unknown[]): boolean {
  return shown.every((it) => isDeepStrictEqual(it, shown[0]));
}
