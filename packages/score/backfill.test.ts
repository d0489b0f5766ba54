import { expect, test } from 'vitest';
import { history, laterMs, startMs } from '../../testkit/arbitraries.js';
import { checkLaw, law } from '../../testkit/law.js';
import { advanceEach } from '../../testkit/simulation/sessions.js';
import { computeTypicalValues } from './baseline.js';
import { advanceSession, backfillSession, startLiveState, type SessionStep } from './session.js';
import type { Reading } from './signals.js';

/** Applies readings with `advance`, each with the baseline after the previous one. */
const applyAll = (
  advance: typeof backfillSession,
  readings: readonly Reading[],
  first?: SessionStep,
): SessionStep[] => [...advanceEach(readings, first, advance)];

const live: typeof backfillSession = advanceSession;

law('backfilled readings of a new session get the results that they would have got in time', history, (readings) => {
  const [past, present] = [applyAll(backfillSession, readings), applyAll(live, readings)];
  expect(past.map(({ computed, point }) => ({ computed, point }))).toEqual(
    present.map(({ computed, point }) => ({ computed, point })),
  );
});

test('a backfilled reading changes only the past and the baseline of a current session', () => {
  checkLaw(history, history, (readings, backfilled) => {
    const now = applyAll(live, readings).at(-1);
    const after = applyAll(backfillSession, backfilled, now).at(-1);
    const { past: _, baseline: __, ...current } = after?.session ?? {};
    const { past: ___, baseline: ____, ...before } = now?.session ?? {};
    expect(current).toEqual(before);
  });
});

test('the first current reading is scored like the first reading of a session', () => {
  const at = (seconds: number, heart_rate: number): Reading => ({ atMs: startMs + seconds * 1000, heart_rate });
  const [past] = applyAll(backfillSession, [at(0, 150)]);
  const started = startLiveState(past?.session as SessionStep['session'], at(10, 60), undefined);
  const alone = advanceSession(undefined, at(10, 60), undefined);
  expect(started.computed).toEqual(alone.computed);
  expect(started.session.past?.latest.score).toBe(past?.computed.score);
});

test('the first current reading keeps the subject and the baseline that backfilled readings have bound', () => {
  const rest = Array.from({ length: 60 }, (_, index): Reading => {
    return { atMs: startMs + index * 30_000, heart_rate: 90, subjectId: 'anna' };
  });
  const past = applyAll(backfillSession, rest).at(-1) as SessionStep;
  const { session, baseline } = startLiveState(past.session, { atMs: laterMs, heart_rate: 90 }, past.baseline);
  expect(session.subjectId).toBe('anna');
  expect(session.baseline).toBeUndefined();
  expect(baseline.heart_rate?.secondsByBpm).toEqual(past.baseline.heart_rate?.secondsByBpm);
});

test.each<Partial<Reading>>([
  { heart_rate: 120, activity_level: 'vigorous' },
  { heart_rate: 120, steps_last_minute: 140 },
  { heart_rate: 175 },
])('a backfilled exertion does not change the typical values: %j', (exertion) => {
  const readings = (fromMs: number, rest: Partial<Reading>) =>
    Array.from({ length: 60 }, (_, index): Reading => ({ ...rest, atMs: fromMs + index * 30_000 }));
  const rested = applyAll(live, readings(laterMs, { heart_rate: 66, sdnn: 50, rmssd: 45 })).at(-1);
  const after = applyAll(backfillSession, readings(startMs, { sdnn: 9, rmssd: 7, ...exertion }), rested).at(-1);
  const nextMs = laterMs + 60 * 30_000;
  expect(computeTypicalValues(after?.baseline, nextMs)).toEqual(computeTypicalValues(rested?.baseline, nextMs));
});

test('readings backfilled after newer ones give about the same typical values as readings in time', () => {
  const rest = Array.from({ length: 120 }, (_, index): Reading => {
    return { atMs: startMs + index * 30_000, heart_rate: 80 + (index % 3), sdnn: 60 };
  });
  const newest: Reading = { atMs: laterMs, heart_rate: 81, sdnn: 60 };
  const inTime = applyAll(live, [...rest, newest]).at(-1);
  const first = applyAll(live, [newest]).at(-1);
  const late = applyAll(backfillSession, rest, first).at(-1);
  const [expected, found] = [inTime, late].map((step) => computeTypicalValues(step?.baseline, laterMs + 60_000));
  expect(found?.heart_rate.value).toBeCloseTo(expected?.heart_rate.value ?? 0, 0);
  expect(found?.heart_rate.known).toBeGreaterThan(0.95);
  expect(found?.sdnn.value).toBeCloseTo(expected?.sdnn.value ?? 0, 1);
});

const every = (minutes: number, fromMs: number, heart_rate: number): Reading[] =>
  Array.from({ length: minutes }, (_, index) => ({ heart_rate, subjectId: 'anna', atMs: fromMs + index * 60_000 }));

test.each([0, 30])('a backfilled night does not move the level of the day after %i live minutes', (minutes) => {
  const rested = minutes === 0 ? undefined : applyAll(live, every(minutes, laterMs, 70)).at(-1);
  const night = applyAll(backfillSession, every(480, laterMs - 9 * 3_600_000, 50), rested).at(-1);
  let last: SessionStep | undefined;
  const next = every(60, laterMs + minutes * 60_000, 70);
  const scores = next.map((reading, index) => {
    const session = index === 0 && !rested ? startLiveState : advanceSession;
    last = session(last?.session ?? (night?.session as SessionStep['session']), reading, (last ?? night)?.baseline);
    return last.computed.score;
  });
  expect(Math.max(...scores)).toBeLessThan(40);
});
