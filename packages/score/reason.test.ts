import fc from 'fast-check';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { enums } from '../../generated/spec.js';
import { advanceAll, measured, nowMs, signals, situationOf, typical } from '../../testkit/arbitraries.js';
import { checkLaw, law } from '../../testkit/law.js';
import { sampleRecording } from '../../testkit/sample-recording.js';
import { withWristNoise } from '../../testkit/simulation/wrist-noise.js';
import { readWindows } from '../tools/recordings/read-windows.js';
import { groupBySubject } from '../tools/recordings/recorded-window.js';
import { seededRandom } from '../tools/terminal/scenes.js';
import { computeTypicalValues } from './baseline.js';
import { findCause } from './cause.js';
import { stressModel } from './model.js';
import { explainNoEvidence, explainScore } from './reason.js';
import type { Signals, SignalValues } from './rows/values.js';
import { labels } from './signals.js';
import type { ScoreInput, TypicalValues } from './situation.js';
import { fuseEvidence } from './stress.js';

const population = computeTypicalValues(undefined, 0);
const person: TypicalValues = {
  heart_rate: {
    value: 66,
    known: 0.96,
    restingBpm: 60,
    stressedRiseBpm: 9.7,
    learnedSeconds: 0,
    raisedSeconds: 0,
  },
  sdnn: { value: Math.log(50), known: 0.9 },
  rmssd: { value: Math.log(40), known: 0.9 },
};

const reasonIn = (situation: ScoreInput) => {
  const fused = fuseEvidence(situation, nowMs);
  return explainScore(fused, situation, Math.round(fused.value));
};
const reason = (all: Signals, against: TypicalValues) => reasonIn(situationOf(all, against));
const reasonFor = (values: SignalValues, against: TypicalValues) => reason(measured(values), against);

test('a reason names the strongest evidence first, with its direction', () => {
  expect(reasonFor({ heart_rate: 90, tone: 'tense' }, person)).toBe(
    "Heart rate 24 bpm above this person's typical heart rate, tense voice.",
  );
  expect(reasonFor({ sentiment: 0.6, tone: 'calm' }, person)).toBe('Strongly positive words, calm voice.');
});

test('a reason mentions the personal baseline only after enough readings', () => {
  expect(reasonFor({ heart_rate: 110 }, population)).toBe('Heart rate 42 bpm above a typical resting heart rate.');
  const early = { ...person, heart_rate: { ...person.heart_rate, known: 0.9 } };
  expect(reasonFor({ heart_rate: 90 }, early)).toBe('Heart rate 24 bpm above the typical heart rate estimated so far.');
});

test('evidence against the score follows after "despite"', () => {
  expect(reasonFor({ heart_rate: 90, sentiment: 0.6 }, person)).toBe(
    "Heart rate 24 bpm above this person's typical heart rate, despite strongly positive words.",
  );
});

test('a reason states that the state is held, and until when', () => {
  const situation = situationOf(measured({ heart_rate: 66, tone: 'neutral' }), person);
  const fused = fuseEvidence(situation, nowMs);
  expect(explainScore(fused, situation, 60)).toBe(
    "The state is held at stressed until the calmer signals last: heart rate at this person's typical heart rate, neutral voice.",
  );
});

test('a reason states that no signal stands out, or that none is fresh', () => {
  expect(reasonFor({ heart_rate: 66, tone: 'neutral' }, person)).toBe(
    "Nothing stands out: heart rate at this person's typical heart rate, neutral voice.",
  );
  expect(reasonFor({ sdnn: 40 }, person)).toBe(
    'Nothing stands out: heart rate variability 20 % below a typical value.',
  );
  expect(reasonFor({ sentiment: 0 }, person)).toBe('Nothing in the words stands out.');
  expect(reasonFor({ sentiment: -0.05 }, person)).toBe('Nothing in the words stands out.');
  expect(reasonFor({ sentiment: -0.06 }, person)).toBe('Nothing stands out: negative words.');
  expect(reason({ heart_rate: { value: 180, atMs: 0 } }, population)).toBe(
    'No usable signal: none of the last 5 minutes counts.',
  );
});

test('a reason states that movement explains a heart rate, and that a jump is unconfirmed', () => {
  const situation = situationOf(measured({ heart_rate: 150, sentiment: 0.6 }), person);
  expect(reasonIn({ ...situation, explainedBpm: 84 })).toBe(
    'Strongly positive words, with a heart rate 84 bpm above rest, higher than stress explains, so the baseline is not updated.',
  );
  const walking = situationOf(measured({ heart_rate: 86, sentiment: 0.6 }), person);
  expect(reasonIn({ ...walking, explainedBpm: 20 })).toBe(
    'Strongly positive words, with a heart rate 20 bpm above rest, which movement explains, so the baseline is not updated.',
  );
  expect(reasonIn({ ...walking, explainedBpm: 9 })).toMatch(/20 bpm above rest, which movement partly explains\.$/);
  const heart = { bpm: 68, fastBpm: 68, isConfirmed: false };
  expect(reasonIn({ ...situation, heart })).toBe('Strongly positive words, with an unconfirmed heart rate of 150 bpm.');
});

test('a stale signal is not named', () => {
  const faded = { ...measured({ heart_rate: 90 }), ...measured({ tone: 'tense' }, nowMs - 240_000) } as const;
  expect(reason(faded, person)).toBe("Heart rate 24 bpm above this person's typical heart rate.");
});

law('a reason is one sentence for any signals', signals, typical, (all, known) => {
  const text = reason(all, known);
  return /^[A-Z][^.\n]*\.$/.test(text) && !/NaN|undefined|Infinity| {2}/.test(text);
});

test('the strongest evidence for the score is named, unless it is negligible', () => {
  const words = {
    heart_rate: 'eart rate ',
    hrv: 'variability',
    tone: 'voice',
    expression: 'face',
    sentiment: 'words',
    urgency: 'urgency',
  };
  checkLaw(signals, typical, (all, known) => {
    const fused = fuseEvidence(situationOf(all, known), nowMs);
    const { drivers } = fused;
    const isRaised = drivers.reduce((sum, { logOdds }) => sum + logOdds, 0) > 0;
    const strongest = drivers.find(({ logOdds }) => logOdds > 0 === isRaised);
    fc.pre(strongest !== undefined && Math.abs(strongest.logOdds) >= stressModel.reason.driver_log_odds_min);
    const [named = ''] = explainScore(fused, situationOf(all, known), Math.round(fused.value)).split(/, despite |, /);
    return strongest !== undefined && named.includes(words[strongest.evidence]);
  });
});

test('the cause of a state is the code of the signal that its reason names first, unless it is evidence against the state', () => {
  const causes = (values: SignalValues) =>
    (['stressed', 'calm'] as const).map((state) => findCause(reasonFor(values, person), state));
  expect(causes({ heart_rate: 90, tone: 'tense' })).toEqual(['heart_raised', undefined]);
  expect(causes({ heart_rate: 71 })).toEqual(['heart_raised', undefined]);
  expect([70, 66, 62].map((heart_rate) => causes({ heart_rate })[1])).not.toContain('heart_raised');
  expect(causes({ sentiment: 0.6, tone: 'calm' })).toEqual([undefined, 'textual_positive']);
  expect(causes({ sentiment: 0 })).toEqual([undefined, undefined]);
  expect(findCause(explainNoEvidence(), 'stressed')).toBe(undefined);
  const held = (evidence: string) => `The state is held at acute stress until the calmer signals last: ${evidence}.`;
  expect(['tense voice', 'calm voice'].map((it) => findCause(held(it), 'acute_stress'))).toEqual([
    'vocal_up',
    'calming',
  ]);
  expect(findCause('The state is held at calm until the rise lasts: calm voice.', 'calm')).toBe('vocal_down');
  expect(findCause('Average heart rate of the last minutes 5 bpm below a typical resting heart rate.', 'calm')).toBe(
    'heart_low',
  );
  expect(findCause('Heart rate variability 45 % below a typical value.', 'focused')).toBe('variability_low');
  const named = [
    ...enums.Tone.map((it) => [labels.tone.describe(it), labels.tone.weigh(it)] as const),
    ...enums.Expression.map((it) => [labels.expression.describe(it), labels.expression.weigh(it)] as const),
    ...enums.Urgency.map((it) => [labels.urgency.describe(it), labels.urgency.weigh(it)] as const),
    ...[-0.9, -0.2, 0.2, 0.9].map((it) => [labels.sentiment.describe(it), labels.sentiment.weigh(it)] as const),
  ];
  for (const [text, weight] of named.filter(([it]) => !/^(neutral|low|medium) /.test(it))) {
    const found = (['stressed', 'calm'] as const).map((state) => findCause(`${text}.`, state) !== undefined);
    expect([text, ...found]).toEqual([text, weight > 0, weight < 0]);
  }
});

test('no recorded or random stream has a score of focused or higher with the reason that nothing stands out', async () => {
  const people = groupBySubject(readWindows(await readFile(sampleRecording, 'utf8'))).values();
  const random = seededRandom(1);
  const wrist = [...people].map((windows) => withWristNoise(windows, random).rows);
  const recorded = wrist.map((rows) => rows.map((it) => ({ atMs: it.second * 1000, heart_rate: it.heartRate })));
  const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)] as T;
  const labels = Array.from({ length: 600 }, (_, index) => ({
    ...{ atMs: index * 5000, tone: pick(enums.Tone), expression: pick(enums.Expression) },
    heart_rate: 70 + 6 * random(),
  }));
  const steps = [...recorded, labels].flatMap((readings) => advanceAll(readings));
  const loaded = steps.filter(({ computed }) => computed.score >= 40).map(({ computed }) => computed.reason);
  expect(loaded.some((text) => text.startsWith('The state is held at '))).toBe(true);
  expect(loaded.filter((text) => /nothing stands out/i.test(text))).toEqual([]);
});
