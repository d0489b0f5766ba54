import { expect, test } from 'vitest';
import { advanceSession, isOtherSubject, type Step } from './session.js';
import type { Reading } from './signals.js';
import { startMs } from './testing/arbitraries.js';
import { advanceAll, advanceTo } from './testing/pipeline.js';

const at = (seconds: number, values: Omit<Reading, 'atMs'>): Reading => ({ ...values, atMs: startMs + seconds * 1000 });

test('every reading except the first has a previous score', () => {
  const [first, second] = advanceAll([at(0, { heart_rate: 90 }), at(2, { heart_rate: 60 })]);
  expect(first?.answer.previousScore).toBeUndefined();
  expect(second?.answer.previousScore).toBe(first?.answer.score);
});

test('a current heart rate and a sentiment of ten seconds ago are fused', () => {
  const { answer } = advanceTo([at(0, { sentiment: -0.8 }), at(10, { heart_rate: 100 })]);
  const alone = advanceTo([at(10, { heart_rate: 100 })]).answer;
  expect(answer.score).toBeGreaterThan(alone.score);
  expect(answer.reason).toMatch(/strongly negative words/i);
  expect(answer.received).toEqual(['cardiovascular']);
});

test('a late sentiment counts if it is the newest sentiment', () => {
  const before = advanceTo([at(10, { heart_rate: 100 })]);
  const late = advanceSession(before.session, at(5, { tone: 'hostile' }), before.baseline);
  expect(late.answer.score).toBeGreaterThan(before.answer.score);
  expect(late.answer.timestampMs).toBe(before.answer.timestampMs);
  expect(late.point.timestampMs).toBe(startMs + 5_000);
  expect(late.answer.received).toEqual(['vocal']);
  expect(late.session.latest.received).toEqual(['cardiovascular']);
});

test('a late reading without a newest signal gets a history point from its own signals', () => {
  const before = advanceTo([at(0, { tone: 'hostile' }), at(10, { heart_rate: 60, sentiment: 0.8 })]);
  const late = advanceSession(before.session, at(5, { heart_rate: 110 }), before.baseline);
  const alone = advanceTo([at(5, { heart_rate: 110 })]);
  expect(late.point).toEqual({ ...alone.point, heartRate: 110 });
  expect(late.answer).toEqual({ ...before.answer, received: ['cardiovascular'] });
});

test('readings with the same time are compared with the score before that time', () => {
  const [first, , last] = advanceAll([
    at(0, { heart_rate: 60, sentiment: 0.6 }),
    at(2, { heart_rate: 110 }),
    at(2, { tone: 'hostile' }),
  ]);
  expect(last?.session.held?.score).toBe(first?.answer.score);
});

test('the session keeps the baseline until a subject is named, who then gets it', () => {
  const [unnamed, named] = advanceAll([at(0, { heart_rate: 60 }), at(60, { heart_rate: 60, subjectId: 'anna' })]);
  expect(unnamed?.session.baseline).toEqual(unnamed?.baseline);
  expect(named?.session.baseline).toBeUndefined();
  expect(named?.session.subjectId).toBe('anna');
  expect(named?.baseline.heart_rate?.firstAtMs).toBe(startMs);
});

test('a heart rate that movement explains updates no baseline, and the reason states it', () => {
  const rest = Array.from({ length: 60 }, (_, index) =>
    at(10 * index, { heart_rate: 66 + (index % 3), sdnn: 50, activity_level: 'resting' }),
  );
  const learned = ({ baseline: { heart_rate, sdnn } }: Step) => [
    heart_rate?.secondsByBpm,
    heart_rate?.seenSeconds,
    sdnn?.mean,
  ];
  const exertions = [
    { heart_rate: 110, sdnn: 12, activity_level: 'moderate' },
    { heart_rate: 110, sdnn: 12, steps_last_minute: 110 },
    { heart_rate: 170, sdnn: 12 },
  ] as const;
  for (const exertion of exertions) {
    const moving = Array.from({ length: 60 }, (_, index) => at(720 + 10 * index, exertion));
    const [start, end] = [advanceTo([...rest, ...moving.slice(0, 10)]), advanceTo([...rest, ...moving])];
    expect(learned(end)).toEqual(learned(start));
    expect(end.answer.reason).toMatch(/the baseline is not updated/);
  }
});

test('a light activity at a resting heart rate updates the baseline', () => {
  const steps = advanceAll(
    Array.from({ length: 60 }, (_, index) => at(10 * index, { heart_rate: 60, activity_level: 'light' })),
  );
  expect(steps.at(-1)?.baseline.heart_rate?.seenSeconds).toBeGreaterThan(300);
});

test('the first subject binds the session, also when a late reading names it', () => {
  const before = advanceTo([at(10, { heart_rate: 80 })]);
  const { session } = advanceSession(before.session, at(5, { heart_rate: 70, subjectId: 'anna' }), before.baseline);
  expect(session.subjectId).toBe('anna');
  expect(session.baseline).toBeUndefined();
  expect(isOtherSubject(session, at(12, { heart_rate: 80, subjectId: 'bert' }))).toBe(true);
  expect(isOtherSubject(session, at(12, { heart_rate: 80, subjectId: 'anna' }))).toBe(false);
  expect(isOtherSubject(session, at(12, { heart_rate: 80 }))).toBe(false);
  expect(isOtherSubject(undefined, at(12, { heart_rate: 80, subjectId: 'bert' }))).toBe(false);
});
