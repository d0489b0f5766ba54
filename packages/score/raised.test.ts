import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { history, inTwoOrders, someSensing } from '../../testkit/arbitraries.js';
import { checkLaw } from '../../testkit/law.js';
import { advanceAll } from '../../testkit/simulation/sessions.js';
import { seededRandom } from '../tools/terminal/scenes.js';
import { raised as causes } from './generated/contract.js';
import type { Baseline, HeartCourse } from './rows/person.js';
import type { Session } from './rows/session.js';
import { advanceSession, backfillSession, replaceReading, type SessionStep } from './session.js';
import type { Reading } from './signals.js';

const [minuteMs, hourMs] = [60_000, 3_600_000];
const startMs = Date.UTC(2026, 0, 5);
const [asleep, quiet] = [52, 68];

type Minute = Partial<Reading> | undefined;

/** Lives `days` days from midnight: asleep until 7 h, then quiet. `change` replaces minutes. */
function live(days: number, change: (minute: number) => Minute = () => undefined, before?: SessionStep): SessionStep {
  const random = seededRandom(3);
  let step = before;
  const fromMs = before ? before.computed.timestampMs + minuteMs : startMs;
  for (let minute = 0; minute < days * 1_440; minute += 1) {
    const hour = (minute / 60) % 24;
    const usual = (hour < 7 ? asleep : quiet + 8 * Math.sin(minute / 40)) + 4 * (random() - 0.5);
    step = next(step, { heart_rate: usual, atMs: fromMs + minute * minuteMs, ...change(minute) });
  }
  return step as SessionStep;
}

function next(before: SessionStep | undefined, reading: Omit<Reading, 'subjectId'>): SessionStep {
  return advanceSession(before?.session, { ...reading, subjectId: 'p' }, before?.baseline);
}

/** The person after eight days, at midnight. */
const known = live(8);

/** Returns the states of minutes from an hour of the ninth day on. */
function play(hour: number, minutes: number, change: (minute: number) => Minute): SessionStep['computed'][] {
  let step = live(hour / 24, undefined, known);
  const fromMs = step.computed.timestampMs + minuteMs;
  return Array.from({ length: minutes }, (_, minute) => {
    step = next(step, { heart_rate: quiet, atMs: fromMs + minute * minuteMs, ...change(minute) });
    return step.computed;
  });
}

const likelyOf = (states: readonly SessionStep['computed'][]) => [
  ...new Set(states.map(({ raised }) => raised?.likely)),
];

test('a heart rate that alone is raised has a start and an unknown cause, and the score stays', () => {
  const states = play(14, 20, () => ({ heart_rate: quiet + 24 }));
  expect(states.at(-1)).toMatchObject({ raised: { likely: 'unknown', sinceMs: states[0]?.timestampMs } });
  expect(states.at(-1)?.score).toBeGreaterThanOrEqual(60);
  expect(states.at(-1)?.reason).toMatch(/exertion, heat or joy are possible, too\.$/);
  expect(likelyOf(play(14, 10, () => ({ heart_rate: quiet })))).toEqual([undefined]);
});

test.each<[string, Minute]>([
  ['a voice', { tone: 'neutral' }],
  ['a face', { expression: 'neutral' }],
  ['words', { sentiment: 0 }],
  ['variability', { sdnn: 40 }],
  ['a stated activity', { activity_level: 'resting' }],
])('%s beside the heart rate tells more, so nothing is said', (_, witness) => {
  expect(likelyOf(play(14, 10, () => ({ heart_rate: quiet + 24, ...witness })))).toEqual([undefined]);
});

test('a device that counts no steps for ten minutes makes stress the likely cause', () => {
  const states = play(14, 30, (minute) => ({ heart_rate: minute < 12 ? quiet : quiet + 24, steps_last_minute: 0 }));
  expect(states.at(-1)?.raised?.likely).toBe('stress');
  const moved = play(14, 30, (minute) => ({
    ...{ heart_rate: minute < 12 ? quiet : quiet + 24, steps_last_minute: minute === 22 ? 20 : 0 },
  }));
  expect(moved.at(-1)?.raised?.likely).toBe('unknown');
});

test.each([
  ['stated rest', { activity_level: 'resting' }],
  ['no steps for ten minutes', { steps_last_minute: 0 }],
] as const)('a sudden rise of 40 to 60 bpm with %s is stressed within two minutes, also after a gap', (_, context) => {
  for (const [rise, gap] of [
    [40, 0],
    [60, 0],
    [60, 25],
  ] as const) {
    const states = play(14, 26, (minute) => ({
      ...{ heart_rate: minute < 15 ? quiet : quiet + rise, ...context },
      ...(minute >= 15 && { atMs: startMs + (8 * 24 + 14) * hourMs + (minute + gap) * minuteMs }),
    }));
    const scores = states.slice(17).map(({ score }) => score);
    expect([rise, gap, Math.min(...scores) >= 60, Math.max(...scores) < 80]).toEqual([rise, gap, true, true]);
  }
});

test('a variability at a third of the own one raises the score by 5 points or more, with the same heart rate', () => {
  const before = play(14, 40, (minute) => ({
    heart_rate: quiet,
    ...(minute < 35 ? { sdnn: 48, rmssd: 40 } : { sdnn: 16, rmssd: 11 }),
  }));
  expect(Number(before.at(-1)?.score) - Number(before[34]?.score)).toBeGreaterThanOrEqual(5);
});

test('a reason calls a level an average that differs from the value sent', () => {
  const states = play(14, 3, () => ({ heart_rate: quiet + 24 }));
  expect(states[0]?.reason).toMatch(/^Average heart rate of the last minutes \d+ bpm above/);
  expect(play(14, 20, () => ({ heart_rate: quiet + 24 })).at(-1)?.reason).toMatch(/^Heart rate \d+ bpm above/);
});

test('after exertion, stated or not, a falling heart rate is recovery, which lowers score and confidence', () => {
  const decay = (minute: number) => quiet + 30 * Math.exp(-(minute - 20) / 35);
  for (const stated of [undefined, { activity_level: 'vigorous' } as const]) {
    const states = play(14, 50, (minute) =>
      minute < 20 ? { heart_rate: quiet + 70, ...stated } : { heart_rate: decay(minute) },
    );
    const after = states.slice(26);
    expect(likelyOf(after.filter(({ raised }) => raised))).toEqual(['recovery']);
    expect(after.some(({ raised }) => raised)).toBe(true);
    expect(Math.max(...after.map(({ score }) => score))).toBeLessThan(60);
  }
});

test('a rise in the hour after sleep comes with waking, and a day that is raised as a whole is said to be', () => {
  expect(likelyOf(play(7, 60, () => ({ heart_rate: quiet + 22 })).slice(45))).toEqual(['waking']);
  const day = play(7, 8 * 60, () => ({ heart_rate: quiet + 14 }));
  expect(day.at(-1)?.raised?.likely).toBe('all_day');
  expect(day.at(-1)?.score).toBeLessThan(Number(day[120]?.score));
  const { baseline } = live(1, (minute) => (minute < 420 ? undefined : { heart_rate: quiet + 14 }), known);
  expect(baseline.course?.raisedHours).toEqual([Math.floor((startMs + 8 * 24 * hourMs) / hourMs) + 10]);
});

test('late, replaced and backfilled readings say nothing, and a session without a person stores no course', () => {
  const raised = live(0.05, () => ({ heart_rate: quiet + 30 }), live(14 / 24, undefined, known));
  const { session, baseline, computed } = raised;
  expect(computed.raised).toBeDefined();
  const atMs = computed.timestampMs - 90_000;
  const late = advanceSession(session, { heart_rate: 99, atMs, subjectId: 'p' }, baseline);
  expect([late.computed.raised, late.point.raised]).toEqual([undefined, undefined]);
  expect(late.session.latest.raised).toEqual(computed.raised);
  expect(replaceReading(computed, { heart_rate: 99, atMs }, baseline).computed.raised).toBeUndefined();
  const past = backfillSession(session, { heart_rate: 99, atMs: atMs - hourMs, subjectId: 'p' }, baseline);
  expect(past.computed.raised).toBeUndefined();
  expect(past.baseline.course).toEqual(baseline.course);
  const alone = advanceAll([99, 99, 99].map((heart_rate, index) => ({ heart_rate, atMs: startMs + index * minuteMs })));
  expect(alone.map((step) => step.baseline.course)).toEqual([undefined, undefined, undefined]);
});

test('the course of a day has at most 1,000 bytes of JSON', () => {
  const { course } = live(15, (minute) => ({ heart_rate: 60 + 60 * Math.abs(Math.sin(minute / 700)) })).baseline;
  const longest: HeartCourse = {
    ...(course as HeartCourse),
    levels: Array(40).fill(100),
    days: Array(14).fill(100),
    raisedHours: Array(14).fill(500_000),
  };
  expect(JSON.stringify(longest).length).toBeLessThanOrEqual(1_000);
});

test('the order of arrival of readings of a person with the newest timestamp changes neither course nor cause', () => {
  const group = inTwoOrders(
    someSensing.filter(({ tone }) => tone === undefined).map((it) => [it, { steps_last_minute: 0, heart_rate: 99 }]),
  );
  checkLaw(history, group, (before, orders) => {
    const atMs = Math.max(...before.map((it) => it.atMs)) + 1_000;
    const [one, other] = orders.map((order) => {
      const ofPerson = [...before, ...order.map((values): Reading => ({ ...values, atMs }))];
      const last = advanceAll(ofPerson.map((it) => ({ ...it, subjectId: 'p' }))).at(-1);
      return [last?.baseline.course, last?.session.latest.raised, last?.session.steps];
    });
    return isDeepStrictEqual(one, other);
  });
});

test('a course restored from JSON gives the same results, and no text names an illness', () => {
  const stored = JSON.parse(JSON.stringify(known)) as { session: Session; baseline: Baseline };
  const reading: Reading = { heart_rate: quiet + 24, atMs: known.computed.timestampMs + minuteMs, subjectId: 'p' };
  const restored = advanceSession(stored.session, reading, stored.baseline);
  expect(JSON.stringify(restored)).toBe(JSON.stringify(advanceSession(known.session, reading, known.baseline)));
  expect(JSON.stringify(causes)).not.toMatch(/fever|ill|sick|disease|arrhythm|infect|anxi|disorder/i);
});
