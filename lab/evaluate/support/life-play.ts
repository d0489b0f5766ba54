import { groupBySubject, type RecordedWindow } from '../../../packages/tools/recordings/recorded-window.js';
import { readWindows } from '../../../packages/tools/recordings/read-windows.js';
import { seededRandom } from '../../../packages/tools/terminal/scenes.js';
import type { TableRow } from '../../../packages/tools/terminal/table.js';
import { spacingSeconds } from '../../../packages/tools/evaluate/scores/variants.js';
import { advanceSession, backfillSession, type SessionStep } from '../../../packages/score/session.js';
import type { Reading } from '../../../packages/score/signals.js';
import { findBand } from '../../../packages/score/states.js';
import type { Wearer } from '../../../testkit/simulation/days.js';
import { claims, type StreamReading } from '../../../testkit/simulation/everyday-claims.js';
import type { HeartStream } from '../../../testkit/simulation/stream.js';
import { heldBefore } from './life-before.js';
import { findSide, heartFormat } from '../../../packages/tools/evaluate/protocol/tasks.js';

/** A reading of a stream. `isStressor` is undefined for a reading that is sent and not compared. */
export interface LabeledReading extends StreamReading {
  readonly isStressor?: boolean | undefined;
}

/** A published state. */
export interface Lived {
  readonly second: number;
  readonly score: number;
  readonly confidence: number;
  readonly reason: string;
  readonly isStressor?: boolean | undefined;
}

const startMs = Date.UTC(2026, 0, 5, 9);
const every = 5;

/** Reads a recording of several people. Readings without a time are two minutes apart. */
export function readPeople(csv: string): LabeledReading[][] {
  const toReading = (window: RecordedWindow, index: number): LabeledReading => {
    const side = findSide(window);
    const isStressor = side === undefined ? undefined : side === 'stressor';
    return { ...window.values, second: window.second ?? index * spacingSeconds, isStressor };
  };
  return [...groupBySubject(readWindows(csv, heartFormat)).values()].map((its) => its.map(toReading));
}

/** Returns the readings of a wrist device, five seconds apart. */
export function toPeople({ rows }: HeartStream): LabeledReading[] {
  return rows
    .filter(({ second }) => second % every === 0)
    .map(({ second, heartRate, isStressor }) => ({ second, heart_rate: heartRate, isStressor }));
}

/** Plays the readings of one person in one session. */
export function playPerson(readings: readonly LabeledReading[]): Lived[] {
  let last: SessionStep | undefined;
  return readings.map(({ second, isStressor, ...signals }) => {
    const reading = { ...signals, atMs: startMs + second * 1000, subjectId: 'person' } as Reading;
    last = advanceSession(last?.session, reading, last?.baseline);
    return toLived(last, second, isStressor);
  });
}

/** Plays each reading in a session of its own, without a person. */
export function playCold(readings: readonly LabeledReading[]): Lived[] {
  return readings.flatMap((it) => playPerson([it]));
}

/** Backfills the minutes of a person. */
export function playDays({ minutes }: Wearer): Lived[] {
  let last: SessionStep | undefined;
  return minutes.map(({ atMs, heartRate }) => {
    const reading = { heart_rate: heartRate, atMs, subjectId: 'person' };
    last = backfillSession(last?.session, reading, last?.baseline);
    return toLived(last, atMs / 1000);
  });
}

function toLived({ computed }: SessionStep, second: number, isStressor?: boolean): Lived {
  const { score, confidence, reason } = computed;
  return { second, score, confidence, reason, isStressor };
}

export const isStressedAt = ({ score }: Lived): boolean => score >= 60;

/** `focused` or above is right for a stressor, `calm` and `relaxed` for rest. */
export const isRight = ({ score, isStressor }: Lived): boolean => score >= 40 === isStressor;

export function changesPerHour(people: readonly (readonly Lived[])[]): number {
  const stateOf = (it: Lived | undefined) => findBand(it?.score ?? 0).state;
  const changes = people.map((its) => its.filter((it, at) => at > 0 && stateOf(it) !== stateOf(its[at - 1])).length);
  const hours = people.map((its) => ((its.at(-1)?.second ?? 0) - (its[0]?.second ?? 0)) / 3600);
  const sum = (values: readonly number[]) => values.reduce((total, it) => total + it, 0);
  return sum(changes) / sum(hours);
}

const seeds = Array.from({ length: 10 }, (_, index) => 21 + index);

/** Returns one row per everyday stream: in how many of ten seeds its claim holds. */
export function claimRows(): TableRow[] {
  return claims.map((claim) => {
    const held = seeds.filter((seed) => {
      const lived = playPerson(claim.readings(seededRandom(seed)));
      const responses = lived.map(({ second, score, confidence, reason }) => {
        return { second, stress_score: score, state: findBand(score).state, confidence, action_reason: reason };
      });
      return claim.holds(responses);
    });
    const earlier = heldBefore[claim.stream] ?? seeds.length;
    return [`${claim.stream}: ${claim.expected}`, `${seeds.length}`, `${earlier}`, `${held.length}`];
  });
}
