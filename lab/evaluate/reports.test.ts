import { expect, test } from 'vitest';
import type { Judged } from '../../testkit/simulation/days.js';
import { agreementRows, calibrationRows, matchReports } from './support/reports.js';

const minuteMs = 60_000;

/** Returns minutes of a shift whose score is that of the answer in each ten minutes. */
function judge(scores: readonly number[]): Judged[] {
  return scores.flatMap((stress_score, part) =>
    Array.from({ length: 10 }, (_, minute) => ({
      ...{ atMs: (10 * part + minute) * minuteMs, heartRate: 70, confidence: 0.5 },
      ...{ stress_score, state: stress_score >= 60 ? ('stressed' as const) : ('relaxed' as const) },
    })),
  );
}

test('the agreement with the reports of shifts has a group per nurse, and the mean score of each period', () => {
  const nurses = ['a', 'b', 'c', 'd', 'e', 'without reports'];
  const answers = ['none', 'high', 'none', 'high', 'medium', 'high'];
  const people = nurses.map((person) => ({ person, minutes: [] }));
  const shifts = nurses.map(() => judge([20, 70, 25, 80, 30, 20]));
  const reports = nurses.slice(0, 5).flatMap((person) =>
    answers.map((stress, part) => {
      return { person, stress, fromMs: 10 * part * minuteMs, toMs: 10 * (part + 1) * minuteMs };
    }),
  );
  const outside = { person: 'a', stress: 'high', fromMs: 999 * minuteMs, toMs: 1_000 * minuteMs };
  const matched = matchReports(people, shifts, [...reports, outside]);
  expect(matched).toHaveLength(30);
  // Of the six pairs of a nurse, the score of 20 loses one and ties one.
  const [strict, all] = agreementRows(matched);
  expect(strict?.slice(0, 5)).toEqual(['high against none', '25', '15', '5', '0.750']);
  expect(strict?.at(-1)).toBe('measured');
  expect(all?.slice(0, 4)).toEqual(['high and medium against none', '30', '20', '5']);
  expect(calibrationRows(matched).map(([state, count]) => `${state} ${count}`)).toEqual([
    ...['calm 0', 'relaxed 15', 'focused 0', 'stressed 5', 'acute_stress 5'],
  ]);
});
