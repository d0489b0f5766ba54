import { expect, test } from 'vitest';
import { enums } from '../../generated/spec.js';
import { baselineAfter, measured, nowMs, situationOf } from '../../testkit/arbitraries.js';
import { computeTypicalValues } from './baseline.js';
import { rateConfidence } from './confidence.js';
import { weighByAge } from './evidence.js';
import { stressModel as model } from './model.js';
import type { SignalValues } from './rows/values.js';
import { findBand } from './states.js';
import { fuseEvidence } from './stress.js';

const population = computeTypicalValues(undefined, 0);
const scoreOf = (values: SignalValues) =>
  Math.round(fuseEvidence(situationOf(measured(values), population), nowMs).value);

test('SDNN and RMSSD together are not stronger evidence than the stronger of the two', () => {
  const logOdds = (values: SignalValues) =>
    fuseEvidence(situationOf(measured(values), population), nowMs).drivers.reduce((sum, it) => sum + it.logOdds, 0);
  const [sdnn, rmssd] = [Math.exp(model.hrv.sdnn_population_ln_ms - 1), Math.exp(model.hrv.rmssd_population_ln_ms - 1)];
  expect(logOdds({ sdnn, rmssd })).toBeCloseTo(logOdds({ sdnn }), 9);
  expect(logOdds({ sdnn, rmssd })).toBeCloseTo(logOdds({ rmssd }), 9);
});

test('without a fresh signal, the score is neutral and the confidence is 0', () => {
  const stale = situationOf(measured({ tone: 'hostile' }), population);
  const fused = fuseEvidence(stale, nowMs + 300_000);
  expect([Math.round(fused.value), rateConfidence(fused, stale, 33), fused.drivers]).toEqual([33, 0, []]);
});

test('no single label or sentence alone reaches acute stress', () => {
  for (const tone of enums.Tone) expect(scoreOf({ tone })).toBeLessThan(80);
  for (const expression of enums.Expression) expect(scoreOf({ expression })).toBeLessThan(80);
  for (const sentiment of [-1, -0.5, 0, 1]) expect(scoreOf({ sentiment })).toBeLessThan(80);
});

test('a very high heart rate alone reaches stressed, but not acute_stress', () => {
  expect(findBand(scoreOf({ heart_rate: 110 })).state).toBe('stressed');
  expect(scoreOf({ heart_rate: 220, sdnn: 1, rmssd: 1 })).toBeLessThan(80);
});

test('strong signals that agree reach acute stress', () => {
  expect(scoreOf({ tone: 'hostile', sentiment: -0.9, expression: 'tense' })).toBeGreaterThanOrEqual(80);
  expect(scoreOf({ heart_rate: 115, sentiment: -0.8 })).toBeGreaterThanOrEqual(80);
  expect(scoreOf({ heart_rate: 115, expression: 'tense', sentiment: -0.4 })).toBeGreaterThanOrEqual(80);
  expect(scoreOf({ heart_rate: 115, tone: 'hostile', sentiment: -0.6 })).toBeGreaterThanOrEqual(80);
});

test('concentrated work is focused, also with the heart rate that it explains', () => {
  const known = {
    ...population,
    heart_rate: { ...population.heart_rate, value: 66, restingBpm: 66, known: 1 },
  };
  const stateOf = (values: SignalValues) => {
    const { value } = fuseEvidence(situationOf(measured(values), known), nowMs);
    return findBand(Math.round(value)).state;
  };
  const concentrated = { tone: 'focused', expression: 'concentrated' } as const;
  for (const more of [{}, { heart_rate: 66 }, { heart_rate: 76 }, { heart_rate: 78, sdnn: 30, sentiment: 0.1 }])
    expect(stateOf({ ...concentrated, ...more }), JSON.stringify(more)).toBe('focused');
  expect(stateOf({ heart_rate: 90, ...concentrated })).toBe('stressed');
  expect(stateOf({ sentiment: -0.8, ...concentrated })).toBe('stressed');
});

test('tones that agree are stronger evidence, up to the stressed band', () => {
  const valueOf = (values: SignalValues, agreeingTones: number) =>
    Math.round(fuseEvidence({ ...situationOf(measured(values), population), agreeingTones }, nowMs).value);
  expect(valueOf({ tone: 'hostile' }, 0)).toBeLessThan(60);
  expect(valueOf({ tone: 'hostile' }, 3)).toBeGreaterThanOrEqual(60);
  expect(valueOf({ tone: 'hesitant' }, 3)).toBe(valueOf({ tone: 'hesitant' }, 0));
  expect(valueOf({ tone: 'hostile', sentiment: -0.5 }, 3)).toBeLessThan(80);
});

test('sentiment is more reliable than expression, and expression is more reliable than tone', () => {
  const { tone, expression, sentiment } = model.reliability;
  expect(tone).toBeLessThan(expression);
  expect(expression).toBeLessThan(sentiment);
  expect(scoreOf({ tone: 'hostile' })).toBeLessThan(scoreOf({ sentiment: -1 }));
});

test('the weight of a signal is 1 before its timestamp, ½ after a half-life, and 0 when it is stale', () => {
  expect(weighByAge(-1)).toBe(1);
  expect(weighByAge(60_000)).toBe(0.5);
  expect(weighByAge(299_999)).toBeGreaterThan(0);
  expect(weighByAge(300_000)).toBe(0);
});

test('the same heart rate is stronger evidence for a person with a lower resting heart rate', () => {
  const athlete = Array.from({ length: 60 }, (_, index) => ({ atMs: index * 120_000, heart_rate: 50 }));
  const known = computeTypicalValues(baselineAfter(athlete), athlete.length * 120_000);
  const heart = measured({ heart_rate: 75 });
  const valueFor = (typical: typeof population) => fuseEvidence(situationOf(heart, typical), nowMs).value;
  expect(valueFor(known)).toBeGreaterThan(valueFor(population) + 15);
});

test('falling heart rate variability raises the score, but less than a rising heart rate', () => {
  expect(scoreOf({ sdnn: 10 })).toBeGreaterThan(scoreOf({ sdnn: 100 }));
  expect(scoreOf({ sdnn: 1 }) - scoreOf({ sdnn: 500 })).toBeLessThan(
    scoreOf({ heart_rate: 102 }) - scoreOf({ heart_rate: 72 }),
  );
});
