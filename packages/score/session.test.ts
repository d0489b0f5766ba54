import { expect, test } from 'vitest';
import { advanceAll, advanceTo, startMs } from '../../testkit/arbitraries.js';
import { stressModel as model } from './model.js';
import { advanceSession, isOtherSubject, type SessionStep } from './session.js';
import type { MovementContext, Reading } from './signals.js';
import { findBand } from './states.js';

const at = (seconds: number, values: Omit<Reading, 'atMs'>): Reading => ({ ...values, atMs: startMs + seconds * 1000 });

test('every reading except the first has a previous score', () => {
  const [first, second] = advanceAll([at(0, { heart_rate: 90 }), at(2, { heart_rate: 60 })]);
  expect(first?.computed.previousScore).toBeUndefined();
  expect(second?.computed.previousScore).toBe(first?.computed.score);
});

test('a current heart rate and a sentiment of ten seconds ago are fused', () => {
  const { computed } = advanceTo([at(0, { sentiment: -0.8 }), at(10, { heart_rate: 100 })]);
  const alone = advanceTo([at(10, { heart_rate: 100 })]).computed;
  expect(computed.score).toBeGreaterThan(alone.score);
  expect(computed.reason).toMatch(/strongly negative words/i);
  expect(computed.received).toEqual(['cardiovascular']);
});

test("a late sentiment counts if it is the session's newest sentiment", () => {
  const before = advanceTo([at(10, { heart_rate: 100 })]);
  const late = advanceSession(before.session, at(5, { tone: 'hostile' }), before.baseline);
  expect(late.computed.score).toBeGreaterThan(before.computed.score);
  expect(late.computed.timestampMs).toBe(before.computed.timestampMs);
  expect(late.point.timestampMs).toBe(startMs + 5_000);
  expect(late.computed.received).toEqual(['vocal']);
  expect(late.session.latest.received).toEqual(['cardiovascular']);
});

test('a late reading that is the newest for no signal gets a history point from its own signals', () => {
  const before = advanceTo([at(0, { tone: 'hostile' }), at(10, { heart_rate: 60, sentiment: 0.8 })]);
  const late = advanceSession(before.session, at(5, { heart_rate: 110 }), before.baseline);
  const alone = advanceTo([at(5, { heart_rate: 110 })]);
  expect(late.point).toEqual({ ...alone.point, measured: { heart_rate: 110 } });
  expect(late.computed).toEqual({ ...before.computed, received: ['cardiovascular'] });
});

test('a milder reading with the newest timestamp gets a history point with the state of the session', () => {
  const [first, second] = advanceAll([at(0, { heart_rate: 130, sdnn: 12 }), at(0, { heart_rate: 62, sdnn: 70 })]);
  expect(second?.point.score).toBe(second?.computed.score);
  expect(second?.computed.score).toBe(first?.computed.score);
});

test('the steps of a late reading count, even if it is the newest for no signal', () => {
  const before = advanceTo([at(0, { urgency: 'low' }), at(1, { heart_rate: 110 }), at(2, { sentiment: 0.1 })]);
  const late = advanceSession(before.session, at(0, { urgency: 'low', steps_last_minute: 140 }), before.baseline);
  expect(late.session.movement).toEqual({ value: model.movement.activity_rise_bpm.vigorous, atMs: startMs });
  expect(late.computed.confidence).toBeLessThan(before.computed.confidence);
});

test('readings with the same timestamp are compared with the score before that timestamp', () => {
  const [first, , last] = advanceAll([
    at(0, { heart_rate: 60, sentiment: 0.6 }),
    at(2, { heart_rate: 110 }),
    at(2, { tone: 'hostile' }),
  ]);
  expect(last?.session.held?.score).toBe(first?.computed.score);
});

test('the first named subject gets the baseline of the session', () => {
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
  const learned = ({ baseline: { heart_rate, sdnn } }: SessionStep) => [
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
    expect(end.computed.reason).toMatch(/the baseline is not updated/);
  }
});

test.each(['light', 'moderate', 'vigorous'] as const)('%s movement starts at its number of steps', (activity) => {
  const steps = model.movement[`${activity}_steps`];
  const movementOf = (context: MovementContext) => advanceTo([at(0, { heart_rate: 90, ...context })]).session.movement;
  expect(movementOf({ steps_last_minute: steps })).toEqual(movementOf({ activity_level: activity }));
  expect(movementOf({ steps_last_minute: steps - 1 })).not.toEqual(movementOf({ activity_level: activity }));
});

test.each(['light', 'moderate', 'vigorous'] as const)(
  'a workout that is stated once as %s explains a heart rate until its age ends',
  (activity_level) => {
    const { statement_seconds, activity_rise_bpm } = model.movement;
    const rest = Array.from({ length: 120 }, (_, index) => at(10 * index, { heart_rate: 64 + (index % 3) }));
    const rise = 30 + activity_rise_bpm[activity_level] / 4;
    const scoresOf = (context: MovementContext) =>
      advanceAll([
        ...rest,
        at(1200, { heart_rate: 70, activity_level }),
        ...Array.from({ length: 40 }, (_, index) => at(1210 + 10 * index, { heart_rate: 64 + rise, ...context })),
      ]).map(({ computed }) => computed.score);
    const [once, each] = [scoresOf({}), scoresOf({ activity_level })];
    const end = rest.length + statement_seconds / 10;
    expect(once.slice(0, end)).toEqual(each.slice(0, end));
    expect(once[end]).toBeGreaterThan(each[end] ?? 0);
  },
);

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

test('a state holds since the first reading of its band, in any order of arrival, and not over 300 s without evidence', () => {
  const calm = { heart_rate: 58, sentiment: 0.8, tone: 'calm' } as const;
  const acute = { heart_rate: 170, sentiment: -0.9, tone: 'hostile' } as const;
  const times = [0, 10, 20, 30, 329, 340];
  const seen = advanceAll(times.map((seconds, index) => at(seconds, index < 2 ? calm : acute)));
  const states = seen.map(({ computed }) => findBand(computed.score).state);
  const first = states.map((state, index) => states.findLastIndex((it, at) => at < index && it !== state) + 1);
  expect(new Set(states).size).toBeGreaterThan(1);
  expect(first.at(-1)).toBeLessThan(times.length - 2);
  expect(seen.map(({ computed }) => computed.sinceMs)).toEqual(first.map((it) => startMs + Number(times[it]) * 1000));
  const last = seen.at(-1) as SessionStep;
  const paused = advanceSession(last.session, at(640, acute), last.baseline);
  expect(paused.computed.sinceMs).toBe(startMs + 640_000);

  // A milder reading of the same time does not end the state and start it again.
  const same = advanceTo([at(0, calm), at(10, calm), at(10, acute), at(10, calm)]);
  const other = advanceTo([at(0, calm), at(10, acute), at(10, calm), at(10, calm)]);
  expect(same.computed.sinceMs).toBe(other.computed.sinceMs);
});
