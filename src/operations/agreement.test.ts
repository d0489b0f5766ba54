import fc from 'fast-check';
import { expect, test } from 'vitest';
import { feedback as settings } from '../../generated/spec.js';
import { seededRandom } from '../../packages/tools/terminal/scenes.js';
import { assessAgreement, computeEffect, estimateAuc, type ScoredReport } from './agreement.js';

const report = fc.record({
  person: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  score: fc.integer({ min: 0, max: 100 }),
  stress: fc.integer({ min: 0, max: 10 }),
});
const reports = fc.array(report, { minLength: 2, maxLength: 60 }).map((its) => its.map(ofAccount));

/** Reports of a person are a group. */
function ofAccount<Report extends { readonly person: string }>(it: Report): Report & { readonly group: string } {
  return { ...it, group: it.person };
}

const bothSides = reports.filter((its) => new Set(its.map(({ stress }) => stress >= 5)).size === 2);

test('the AUC is the share of pairs that the score ranks correctly, people weigh the same, ties count half', () => {
  fc.assert(
    fc.property(bothSides, (its) => {
      const [stressed, calm] = [true, false].map((side) => its.filter(({ stress }) => stress >= 5 === side));
      const weight = (it: ScoredReport) => 1 / its.filter(({ person }) => person === it.person).length;
      let [won, total] = [0, 0];
      for (const a of stressed ?? [])
        for (const b of calm ?? []) {
          const pair = weight(a) * weight(b);
          won += pair * ((Math.sign(a.score - b.score) + 1) / 2);
          total += pair;
        }
      expect(estimateAuc(its).value).toBeCloseTo(won / total, 2.9);
    }),
  );
});

test('every interval contains its estimate and lies between 0 and 1', () => {
  fc.assert(
    fc.property(bothSides, (its) => {
      const { calibration } = assessAgreement(its);
      const shares = calibration.flatMap(({ stressed_share }) => stressed_share ?? []);
      for (const { low, value, high } of [estimateAuc(its), ...shares])
        expect([0, low, value, high, 1]).toEqual([0, low, value, high, 1].sort((a, b) => a - b));
    }),
  );
});

test('the order of reports and the names of groups do not matter, and the opposite score has the opposite AUC', () => {
  fc.assert(
    fc.property(bothSides, (its) => {
      const { value, low, high } = estimateAuc(its);
      const renamed = its.map((it) => ofAccount({ ...it, person: `x${it.person}` })).reverse();
      expect(assessAgreement(renamed)).toEqual(assessAgreement(its));
      const opposite = estimateAuc(its.map((it) => ({ ...it, score: 100 - it.score })));
      expect(opposite.value).toBeCloseTo(1 - value, 2);
      expect(opposite.low).toBeCloseTo(1 - high, 2);
      expect(opposite.high).toBeCloseTo(1 - low, 2);
      // With the sides exchanged too, everything is the same: no side is left out of the variance.
      const both = its.map((it) => ({ ...it, score: 100 - it.score, stress: it.stress >= 5 ? 0 : 10 }));
      expect(estimateAuc(both)).toEqual({ value, low, high });
    }),
  );
});

test('one group counts like fewer reports: repeating each report in its group does not narrow the interval', () => {
  const random = seededRandom(3);
  const own = Array.from({ length: 40 }, (_, index) =>
    ofAccount({ person: String(index), score: Math.round(40 + 30 * random()), stress: index % 2 ? 7 : 2 }),
  );
  const once = estimateAuc(own);
  const repeated = estimateAuc(Array.from({ length: 10 }, () => own).flat());
  expect(repeated.high - repeated.low).toBeGreaterThan(0.9 * (once.high - once.low));
});

test('scores that separate few reports perfectly have an interval that admits an imperfect score', () => {
  const its = Array.from({ length: 20 }, (_, index) =>
    ofAccount({ person: String(index % 5), score: index < 10 ? 20 : 80, stress: index < 10 ? 0 : 10 }),
  );
  const { value, low, high } = estimateAuc(its);
  expect([value, high]).toEqual([1, 1]);
  expect(low).toBeLessThan(0.85);
});

// Quantiles of Student's distribution from a table, for one degree of freedom less than there are groups.
test.each([
  [5, 2.7764451],
  [6, 2.5705818],
  [11, 2.2281389],
  [31, 2.0422725],
])('the design effect of %i groups uses the quantile %f of Student', (groups, quantile) => {
  const used = settings.interval_z * Math.sqrt(computeEffect(1, 1, groups, 100));
  // The expansion omits terms from the fifth power on.
  expect(Math.abs(used / quantile - 1)).toBeLessThan(0.5 / (groups - 1) ** 5 + 1e-7);
});

test('each group counts as one report only if there is one group or if all reports are equal', () => {
  expect(computeEffect(1, 1, 2, 4)).toBeGreaterThan(30);
  expect(computeEffect(1, 1, 1, 100)).toBe(100);
  expect(computeEffect(0, 0, 4, 100)).toBe(25);
});

test.each([
  ['20 reports of 5 groups', { count: 20, stressed: 5, groups: 5 }, 'measured'],
  ['19 reports', { count: 19, stressed: 5, groups: 5 }, 'not_enough_reports'],
  ['4 stressed reports', { count: 20, stressed: 4, groups: 5 }, 'not_enough_reports'],
  ['4 reports that are not stressed', { count: 20, stressed: 16, groups: 5 }, 'not_enough_reports'],
  ['4 groups', { count: 20, stressed: 5, groups: 4 }, 'not_enough_reports'],
])('%s: %j is %s', (_, { count, stressed, groups }, status) => {
  const its = Array.from({ length: count }, (_, index) =>
    ofAccount({ person: String(index % groups), score: index, stress: index < stressed ? 5 : 4 }),
  );
  const agreement = assessAgreement(its);
  expect(agreement).toMatchObject({ status, scored_reports: count, stressed_reports: stressed, groups });
  expect('auc' in agreement).toBe(status === 'measured');
});

test('the bands add up to all reports, and a band below 5 reports has no share', () => {
  fc.assert(
    fc.property(reports, (its) => {
      const { calibration } = assessAgreement(its);
      expect(calibration.map(({ reports: count }) => count).reduce((sum, count) => sum + count, 0)).toBe(its.length);
      for (const band of calibration) expect('stressed_share' in band).toBe(band.reports >= 5);
    }),
  );
});

/**
 * Draws reports of people who differ in their typical score, by `spread` points, and in their share of stressed reports.
 */
function drawPeople(
  random: () => number,
  people: number,
  { perPerson, shift, spread, sharesDiffer }: Deployment,
): ScoredReport[] {
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Array.from({ length: people }, (_, person) => {
    const own = spread * normal();
    const share = Math.min(0.95, Math.max(0.05, 0.4 + sharesDiffer * normal()));
    return Array.from({ length: perPerson[person % perPerson.length] ?? 0 }, () => {
      const isStressed = random() < share;
      const score = Math.round(Math.min(100, Math.max(0, 45 + own + (isStressed ? shift : 0) + 12 * normal())));
      return ofAccount({ person: String(person), score, stress: isStressed ? 8 : 2 });
    });
  }).flat();
}

interface Deployment {
  /** Numbers of reports of the people in turn. */
  readonly perPerson: readonly number[];
  /** Points by which the scores of stressed reports are higher. */
  readonly shift: number;
  readonly spread: number;
  readonly sharesDiffer: number;
}

test('the intervals of simulated deployments contain the true AUC in at least 88 of 100 cases, also with few people', () => {
  const random = seededRandom(11);
  const [many, runs] = process.env['TEST_SLOW'] === '1' ? [2_000, 300] : [500, 100];
  for (const [people, perPerson, shift, spread, sharesDiffer] of [
    [10, [10], 0, 6, 0],
    [10, [10], 15, 6, 0],
    [20, [30], 10, 6, 0],
    [5, [20], 10, 20, 0.3],
    [6, [20], 10, 20, 0.3],
    [10, [20], 10, 20, 0.3],
    [10, [60, 5], 10, 6, 0],
    [10, [60, 5], 10, 20, 0.3],
    [10, [200, 3, 3, 3, 3], 10, 6, 0.1],
    [30, [60, 1, 1], 10, 10, 0.2],
  ] as const) {
    const deployment = { perPerson, shift, spread, sharesDiffer };
    const truth = estimateAuc(drawPeople(random, many, deployment)).value;
    const hits = Array.from({ length: runs }, () => estimateAuc(drawPeople(random, people, deployment)));
    const covered = hits.filter(({ low, high }) => low <= truth && truth <= high).length;
    expect(
      covered / runs,
      `${people} people with ${perPerson.join()} reports, ${spread} points apart`,
    ).toBeGreaterThanOrEqual(0.88);
  }
});
