import { expect, test } from 'vitest';
import contract from '../../../generated/openapi.json' with { type: 'json' };
import type { Schema, StateReading } from '../../../src/contract/contract.js';
import type { Sent } from '../shared/load.js';
import { listChanges } from '../shared/verdict.js';
import { faultNames, type Faults, judgeReadings, type Shown } from './readings.js';

type Point = Schema<'HistoryDatapoint'>;

const example = contract.components.examples.LaterReading.value as StateReading;
const none = Object.fromEntries(faultNames.map((name) => [name, 0])) as Faults;
const instant = (second: number) => `2026-11-21T09:00:0${second}.000Z`;
const stateOf = (score: number) => (score < 60 ? 'focused' : 'stressed');

/** Returns three readings of a session, each with two responses. The third reading arrived before the second. */
function run(): { sent: Sent[]; shown: Shown } {
  const { adaptation_effectiveness: moved, ...first } = example;
  const answer = (second: number, score: number, previous_score?: number): StateReading => ({
    ...first,
    ...{ timestamp: instant(second), stress_score: score, state: stateOf(score) },
    ...(previous_score !== undefined && moved && { adaptation_effectiveness: { ...moved, previous_score } }),
  });
  const read = (second: number, it: StateReading): Sent => ({
    reading: { session_id: 's1', timestamp: instant(second) },
    answers: [it, structuredClone(it)],
  });
  const sent = [read(1, answer(1, 50)), read(2, answer(3, 70, 50)), read(3, answer(3, 70, 50))];
  const datapoints = [50, 65, 70].map((stress_score, index): Point => {
    const state = stateOf(stress_score);
    return { timestamp: instant(index + 1), state, stress_score, confidence: 0.7, model_version: 2 };
  });
  const history: Schema<'History'> = {
    ...{ session_id: 's1', minutes: 60, datapoints, trend: 'rising' },
    summary: { transitions: 1 },
  };
  return { sent, shown: { histories: [history, structuredClone(history)], states: [answer(3, 70), answer(3, 70)] } };
}

function faultsOf({ sent, shown }: ReturnType<typeof run>): Faults {
  return judgeReadings(new Map([['s1', sent]]), new Map([['s1', shown]]));
}

test('a correct run has no violations, and each acknowledged state transition requires an event', () => {
  const all = run();
  expect(faultsOf(all)).toEqual(none);
  expect(listChanges(new Map([['s1', all.sent]])).get('s1')).toEqual([
    { session_id: 's1', previous_state: 'focused', new_state: 'stressed', stress_score: 70, timestamp: instant(3) },
  ]);
});

test.each<[keyof Faults, string, (points: Point[], all: ReturnType<typeof run>) => unknown]>([
  ['lost', 'a reading that is in no history', (points) => points.splice(1, 1)],
  ['doubled', 'a reading that is in it twice', (points) => points.splice(1, 0, points[1] as Point)],
  ['invented', 'a point that nobody sent', (points) => points.push({ ...(points[2] as Point), timestamp: instant(4) })],
  ['outOfOrder', 'points that changed places', (points) => points.unshift(...points.splice(1, 1))],
  [
    'unlikeAnswers',
    'a score that was not answered',
    (points) => Object.assign(points[2] as Point, { stress_score: 71 }),
  ],
  [
    'answeredAnew',
    'a resend with another answer',
    (_, { sent }) => Object.assign(sent[0]?.answers[1] ?? {}, { confidence: 0 }),
  ],
  [
    'overwritten',
    'a change that another one did not see',
    (_, { sent }) =>
      Object.assign((sent[2]?.answers[0] as StateReading).adaptation_effectiveness ?? {}, { previous_score: 40 }),
  ],
  [
    'disagreed',
    'a service that shows another state',
    (_, { shown }) => Object.assign(shown.states[1] ?? {}, { state: 'calm' }),
  ],
])('the violation "%s" counts %s', (name, _what, spoil) => {
  const all = run();
  const points = all.shown.histories[0]?.datapoints ?? [];
  spoil(points, all);
  // Both services return the same history, unless the test case changes it.
  Object.assign(all.shown.histories[1] ?? {}, structuredClone(all.shown.histories[0]));
  expect(faultsOf(all)[name]).toBe(1);
});
