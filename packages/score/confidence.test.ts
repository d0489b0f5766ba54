import fc from 'fast-check';
import { expect, test } from 'vitest';
import { enums, signals as contract } from '../../generated/spec.js';
import { ageMs, measured, nowMs, signals, situationOf, typical } from '../../testkit/arbitraries.js';
import { checkLaw } from '../../testkit/law.js';
import { seededRandom } from '../tools/terminal/scenes.js';
import { computeTypicalValues } from './baseline.js';
import { rateConfidence } from './confidence.js';
import { rateFreshness, staleAfterMs, weighByAge } from './evidence.js';
import type { SignalValues } from './rows/values.js';
import { advanceSession, type SessionStep } from './session.js';
import { neutralWords, signalNames } from './signals.js';
import type { ScoreInput } from './situation.js';
import { fuseEvidence } from './stress.js';

const population = computeTypicalValues(undefined, 0);

/** Returns the confidence of a score. Default: the computed value. */
function rate(situation: ScoreInput, atMs = nowMs, score?: number): number {
  const fused = fuseEvidence(situation, atMs);
  return rateConfidence(fused, situation, score ?? Math.round(fused.value));
}

test('confidence grows with a personal baseline and with each category, and falls with age', () => {
  const known = { ...population, heart_rate: { ...population.heart_rate, known: 1 } };
  const confidence = (values: SignalValues, typical = known, ageMs = 0) =>
    rate(situationOf(measured(values), typical), nowMs + ageMs);
  const heart = confidence({ heart_rate: 80 });
  expect(heart).toBeGreaterThan(confidence({ heart_rate: 80 }, population));
  expect(confidence({ heart_rate: 80 }, known, 60_000)).toBeLessThan(heart);
  const withVoice = confidence({ heart_rate: 80, tone: 'neutral' });
  expect(withVoice).toBeGreaterThan(heart);
  expect(confidence({ heart_rate: 80, tone: 'neutral', sentiment: -0.3 })).toBeGreaterThan(withVoice);
});

test('words near the edge between relaxed and focused have the lowest confidence, except those that say nothing', () => {
  const confidence = (sentiment: number) => rate(situationOf(measured({ sentiment }), population));
  const [positive = 0, mild = 0, edge = 0, negative = 0, severe = 0] = [0.9, 0.06, -0.25, -0.4, -0.9].map(confidence);
  for (const sentiment of [-0.05, 0, 0.05]) expect(confidence(sentiment)).toBe(0.01);
  expect(edge).toBeLessThan(mild);
  expect(mild).toBeLessThan(positive);
  expect(edge).toBeLessThan(negative);
  expect(negative).toBeLessThan(severe);
});

test('a raised heart rate has a lower confidence in the first minutes of a person, and a typical one does not', () => {
  const confidence = (heart_rate: number, learnedSeconds: number) => {
    const typical = { ...population, heart_rate: { ...population.heart_rate, known: 0.9, learnedSeconds } };
    return rate(situationOf(measured({ heart_rate }), typical));
  };
  expect(confidence(100, 180)).toBeLessThan(confidence(100, 1800) - 0.05);
  expect(confidence(100, 180)).toBeLessThan(confidence(58, 180));
  expect(confidence(58, 180)).toBe(confidence(58, 1800));
});

test('contradicting categories lower the confidence', () => {
  const confidence = (sentiment: number) => rate(situationOf(measured({ tone: 'hostile', sentiment }), population));
  expect(confidence(0.8)).toBeLessThan(confidence(-0.8) - 0.1);
});

test('two signals of one category do not count as agreement', () => {
  const confidence = (values: SignalValues) => rate(situationOf(measured(values), population));
  expect(confidence({ heart_rate: 80, sdnn: 40 })).toBe(confidence({ heart_rate: 80 }));
});

// Excludes movement, and categories that contradict each other: both lower the confidence of the whole reading.
test('a category that agrees with the state never lowers the confidence', () => {
  checkLaw(signals, typical, fc.constantFrom(...enums.SignalCategory), (all, known, category) => {
    const situation = situationOf(all, known);
    const { drivers, value } = fuseEvidence(situation, nowMs);
    const others = situationOf(without(category, all), known);
    const isRaised = fuseEvidence(others, nowMs).value >= 40;
    fc.pre(drivers.every(({ logOdds }) => (isRaised ? logOdds >= 0 : logOdds <= 0)));
    return rate(others) <= rate(situation, nowMs, Math.round(value));
  });
});

const silence = fc.double({ min: -neutralWords, max: neutralWords, noNaN: true });

test('words that say nothing change the confidence of no other signal', () => {
  checkLaw(signals, typical, silence, fc.nat(60_000), (all, known, sentiment, age) => {
    const { sentiment: _, ...others } = all;
    const situation = situationOf(others, known);
    fc.pre(fuseEvidence(situation, nowMs).hasEvidence);
    const both = situationOf({ ...others, sentiment: { value: sentiment, atMs: nowMs - age } }, known);
    return rate(both, nowMs, 50) === rate(situation, nowMs, 50) && rate(both, nowMs, 30) === rate(situation, nowMs, 30);
  });
});

test('no confidence rises while evidence ages beside words that say nothing', () => {
  const label = { tone: fc.constantFrom(...enums.Tone), expression: fc.constantFrom(...enums.Expression) };
  const heart = fc.integer({ min: 45, max: 150 });
  const first = fc.record(
    { heart_rate: heart, ...label, urgency: fc.constantFrom(...enums.Urgency) },
    { requiredKeys: [] },
  );
  const pauses = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 12, maxLength: 20 });
  checkLaw(first, silence, pauses, (values, sentiment, seconds) => {
    fc.pre(Object.keys(values).length > 0);
    let [last, atMs] = [advanceSession(undefined, { ...values, atMs: nowMs }, undefined), nowMs];
    return seconds.every((pause) => {
      atMs += pause * 1000;
      const { confidence } = last.computed;
      last = advanceSession(last.session, { sentiment, atMs }, last.baseline);
      return last.computed.confidence <= confidence;
    });
  });
});

test('the confidence falls with the age of all signals, as that of the state does', () => {
  checkLaw(signals, typical, ageMs, (all, known, age) => {
    const situation = situationOf(all, known);
    const fused = fuseEvidence(situation, nowMs);
    const later = fuseEvidence(situation, nowMs + age);
    fc.pre(later.hasEvidence && Object.values(all).every((it) => nowMs + age - (it?.atMs ?? nowMs) < staleAfterMs));
    const [before = 0, after = 0] = [fused, later].map((it) => rateConfidence(it, situation, Math.round(fused.value)));
    // A fall of variability and repeated tones are bounded by the score, so they do not fade exactly in proportion.
    return after - before < 0.015 && Math.abs(after - before * rateFreshness(weighByAge(age))) <= 0.05;
  });
});

test('the confidence does not fall in the first five seconds, and has no jump before it is outdated', () => {
  const left = Array.from({ length: 300 }, (_, second) => rateFreshness(weighByAge(second * 1000)));
  expect(left.slice(0, 6)).toEqual([1, 1, 1, 1, 1, 1]);
  expect(left[6]).toBeLessThan(1);
  left.slice(1).forEach((it, before) => expect(Number(left[before]) - it).toBeLessThan(0.012));
  expect(rateFreshness(weighByAge(300_000))).toBe(0);
});

test('a fresh neutral voice does not keep the confidence of an old heart rate', () => {
  const confidence = (age: number) => {
    const all = { ...measured({ heart_rate: 110 }, nowMs - age), ...measured({ tone: 'neutral' }) };
    return rate(situationOf(all, population), nowMs, 66);
  };
  const falling = [0, 60_000, 120_000, 180_000, 240_000].map(confidence);
  expect(falling).toEqual([...falling].sort((a, b) => b - a));
  expect(falling[0]).toBeGreaterThan(2 * Number(falling[4]));
});

test('voice and words that contradict have a lower confidence than words alone, from the first reading on', () => {
  const play = (values: SignalValues) => {
    let last: SessionStep | undefined;
    return Array.from({ length: 12 }, (_, index) => {
      last = advanceSession(last?.session, { ...values, atMs: nowMs + index * 20_000 }, last?.baseline);
      return last.computed.confidence;
    });
  };
  for (const [tone, sentiment] of [
    ['hostile', 0.8],
    ['tense', 0.5],
    ['calm', -0.8],
  ] as const) {
    const words = play({ sentiment });
    play({ tone, sentiment }).forEach((both, at) => expect(both).toBeLessThan(Number(words[at]) - 0.1));
  }
});

/** Heart rates of people who rest, are amused and are stressed in turn, in bpm. */
const turns = [
  [70, 76, 92],
  [66, 76, 88],
  [75, 82, 100],
  [60, 70, 90],
] as const;

test.each(turns)(
  'a heart rate between rest and stress is not among the most confident: %i, %i, %i bpm',
  (...levels) => {
    const [rest, amused, stressed] = levels;
    const phases = [
      [rest, 1200],
      [amused, 400],
      [rest, 600],
      [stressed, 600],
      [rest, 400],
    ] as const;
    const random = seededRandom(1);
    let [last, atMs]: [SessionStep | undefined, number] = [undefined, nowMs];
    const lived = phases.flatMap(([bpm, seconds]) =>
      Array.from({ length: seconds / 10 }, () => {
        const heart_rate = bpm + 6 * random() - 3;
        last = advanceSession(last?.session, { heart_rate, atMs, subjectId: 'anna' }, last?.baseline);
        atMs += 10_000;
        return { bpm, ...last.computed };
      }),
    );
    const top = lived.map(({ confidence }) => confidence).sort((a, b) => b - a)[Math.floor(lived.length / 5)] ?? 0;
    const isMiddle = ({ bpm, score }: (typeof lived)[number]) => bpm === amused && Math.abs((score % 20) - 10) <= 6;
    const between = lived.filter(isMiddle);
    expect(between.length).toBeGreaterThan(5);
    for (const { confidence } of between) expect(confidence).toBeLessThanOrEqual(top);
  },
);

function without<T extends object>(category: string, values: T): Partial<T> {
  const gone = new Set<string>(signalNames.filter((name) => contract[name].category === category));
  return Object.fromEntries(Object.entries(values).filter(([name]) => !gone.has(name))) as Partial<T>;
}
