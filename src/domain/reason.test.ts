import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Usual, usualOf } from './baseline.js';
import { reasonOf } from './reason.js';
import type { Signals, SignalValues } from './signals.js';
import { fuseEvidence } from './stress.js';
import { laws, measured, nowMs, signals, usual } from './testing/arbitraries.js';

const population = usualOf(undefined, 0);
const person: Usual = { heart_rate: { value: 68, known: 0.9 }, sdnn: { value: Math.log(50), known: 0.9 } };

const reason = (all: Signals, against: Usual) => reasonOf(fuseEvidence(all, nowMs, against).drivers, all, against);
const reasonFor = (values: SignalValues, against: Usual) => reason(measured(values), against);

test('a reason names what drove the score, strongest first, with direction', () => {
  expect(reasonFor({ heart_rate: 92, tone: 'tense' }, person)).toBe(
    "Heart rate 24 bpm above this person's usual, tense voice.",
  );
  expect(reasonFor({ heart_rate: 60, sentiment: 0.6, tone: 'calm' }, person)).toBe(
    "Strongly positive words, calm voice, heart rate 8 bpm below this person's usual.",
  );
});

test('a reason speaks of the population while no personal baseline is known', () => {
  expect(reasonFor({ heart_rate: 110 }, population)).toBe("Heart rate 38 bpm above the population's typical.");
});

test('what spoke against the score follows after despite', () => {
  expect(reasonFor({ heart_rate: 100, sentiment: 0.4 }, person)).toBe(
    "Heart rate 32 bpm above this person's usual, despite positive words.",
  );
  expect(reasonFor({ heart_rate: 60, sentiment: -0.2 }, person)).toBe(
    "Heart rate 8 bpm below this person's usual, despite negative words.",
  );
});

test('a reason says so when nothing stands out or nothing is fresh', () => {
  expect(reasonFor({ heart_rate: 68, tone: 'neutral' }, person)).toBe(
    "Nothing stands out: heart rate at this person's usual, neutral voice.",
  );
  expect(reasonFor({ sdnn: 40 }, person)).toBe(
    "Nothing stands out: heart rate variability 20 % below this person's usual.",
  );
  expect(reasonFor({ sentiment: 0 }, person)).toBe('Nothing stands out: neutral words.');
  expect(reason({ heart_rate: { value: 180, atMs: 0 } }, population)).toBe('No fresh signal.');
});

test('a signal that has faded is no longer named', () => {
  const faded = { ...measured({ heart_rate: 92 }), ...measured({ tone: 'tense' }, nowMs - 240_000) } as const;
  expect(reason(faded, person)).toBe("Heart rate 24 bpm above this person's usual.");
});

test('a reason is one sentence whatever the signals', () => {
  fc.assert(
    fc.property(signals, usual, (all, known) => {
      const text = reason(all, known);
      return /^[A-Z][^.\n]*\.$/.test(text) && !/NaN|undefined|Infinity| {2}/.test(text);
    }),
    laws,
  );
});

test('the strongest evidence for where the score went is named, unless it is next to nothing', () => {
  const words = {
    heart_rate: 'eart rate ',
    sdnn: 'variability',
    tone: 'voice',
    expression: 'face',
    sentiment: 'words',
  };
  fc.assert(
    fc.property(signals, usual, (all, known) => {
      const { drivers } = fuseEvidence(all, nowMs, known);
      const isRaised = drivers.reduce((sum, { logOdds }) => sum + logOdds, 0) > 0;
      const strongest = drivers.find(({ logOdds }) => logOdds > 0 === isRaised);
      fc.pre(strongest !== undefined && Math.abs(strongest.logOdds) >= 0.1);
      const [named = ''] = reasonOf(drivers, all, known).split(/, despite |, /);
      return strongest !== undefined && named.includes(words[strongest.signal]);
    }),
    laws,
  );
});
