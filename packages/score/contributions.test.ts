import fc from 'fast-check';
import { expect, test } from 'vitest';
import { advanceAll, advanceTo, history, startMs } from '../../testkit/arbitraries.js';
import { checkLaw } from '../../testkit/law.js';
import { noLiveSignals } from './live.js';
import type { LiveSignals } from './rows/person.js';
import type { OwnScore } from './rows/session.js';
import { advanceSession, type SessionStep } from './session.js';
import { findBand, listContributions, scoreWithoutParts } from './states.js';

const contributionsOf = ({ points, score }: OwnScore) => listContributions(points ?? {}, score);
const isExact = (scored: OwnScore) => {
  const all = Object.values(contributionsOf(scored));
  return all.every(Number.isInteger) && all.reduce((sum, it) => sum + it, 0) === scored.score;
};
const at = (seconds: number, values: object) => ({ ...values, atMs: startMs + seconds * 1000 });

test('the points of any score are integers whose sum is the score, for readers of the person and of a session alone', () => {
  checkLaw(history, fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 12, maxLength: 12 }), (readings, of) => {
    const sessions: Array<SessionStep | undefined> = [];
    let live: LiveSignals = noLiveSignals;
    return readings.every((reading, index) => {
      const sharing = { live, sessionId: `s${of[index]}`, isRead: true };
      const before = sessions[of[index] as number];
      const step = advanceSession(before?.session, reading, before?.baseline, { sharing });
      sessions[of[index] as number] = step;
      live = step.live ?? live;
      const { latest } = step.session;
      const { alone } = latest;
      if (alone && 'other_session' in contributionsOf(alone)) return false;
      return isExact(latest) && (!alone || isExact(alone));
    });
  });
});

test('contributions name each category that counts, the neutral start and what holds the score', () => {
  const stressed = { heart_rate: 100, tone: 'tense', sentiment: -0.8 } as const;
  const [first, later] = advanceAll([at(0, stressed), at(10, { tone: 'calm', sentiment: 0.9, heart_rate: 70 })]);
  const points = contributionsOf(first?.session.latest as OwnScore);
  expect(points).toMatchObject({ neutral: 33, held: 0 });
  expect(Object.keys(points)).toEqual(['neutral', 'textual', 'cardiovascular', 'vocal', 'held']);
  const { score, reason, ...held } = later?.session.latest as OwnScore;
  expect(reason).toMatch(/^The state is held/);
  expect(contributionsOf({ score, reason, ...held }).held).toBeGreaterThan(0);
  const neutral = advanceTo([at(0, { tone: 'neutral' })]).session.latest;
  expect(contributionsOf(neutral)).toEqual({ neutral: 33, vocal: 0, held: 0 });
});

test('signals of other sessions are one entry', () => {
  const watch = advanceSession(undefined, at(0, { heart_rate: 120 }), undefined, {
    sharing: { live: noLiveSignals, sessionId: 'watch', isRead: true },
  });
  const sharing = { live: watch.live ?? noLiveSignals, sessionId: 'chat', isRead: true };
  const { latest } = advanceSession(undefined, at(1, { tone: 'tense' }), undefined, { sharing }).session;
  expect(contributionsOf(latest)).toMatchObject({ other_session: expect.any(Number), vocal: expect.any(Number) });
  expect(contributionsOf(latest)).not.toHaveProperty('cardiovascular');
  expect(contributionsOf(latest.alone as OwnScore)).not.toHaveProperty('other_session');
});

test('a score without evidence stays that of the last reading with evidence, in any order of equal times', () => {
  const stressed = at(0, { heart_rate: 100, tone: 'hostile', sentiment: -0.9 });
  const moving = { heart_rate: 110, activity_level: 'vigorous' } as const;
  const { latest: before } = advanceTo([stressed]).session;
  const { latest } = advanceTo([stressed, at(400, moving)]).session;
  expect(latest).toMatchObject({ score: before.score, confidence: 0, sinceMs: before.sinceMs });
  expect(latest.reason).toMatch(/^No usable signal: only a heart rate \d+ bpm above rest, which movement explains/);
  expect(contributionsOf(latest).held).toBe(before.score - 33);
  const parts = [{ heart_rate: 110 }, { activity_level: 'vigorous', spo2: 97 }].map((it) => at(400, it));
  const [one, other] = [parts, parts.toReversed()].map((it) => advanceTo([stressed, ...it]).session);
  expect(one?.latest).toMatchObject({ score: before.score, confidence: 0 });
  expect(other?.latest).toMatchObject({ score: before.score, confidence: 0 });
  const rested = advanceTo([stressed, at(400, moving), at(900, { heart_rate: 66, tone: 'calm' })]).session.latest;
  expect(findBand(rested.score).state).not.toBe(findBand(before.score).state);
  expect(rested.previousScore).toBeUndefined();
});

test('the score without a part is that of the other signals, up to 2 points, and nothing is claimed without any', () => {
  const all = { tone: 'tense', expression: 'frowning', sentiment: -0.8 } as const;
  const categories = { vocal: 'tone', visual: 'expression', textual: 'sentiment' } as const;
  const score = (signals: object) => advanceTo([at(0, signals)]).session.latest as OwnScore;
  const without = (of: OwnScore) => scoreWithoutParts(of.points ?? {}, of.score);
  for (const [category, signal] of Object.entries(categories)) {
    const { [signal]: _, ...rest } = all;
    const left = without(score(all))[category]?.score ?? 0;
    expect(Math.abs(left - score(rest).score)).toBeLessThanOrEqual(2);
  }
  expect(without(score({ tone: 'tense' }))).toEqual({ vocal: { score: 33, evidence: 'none' } });
  expect(without(score({ tone: 'tense', sentiment: 0 }))['vocal']).toEqual({ score: 33, evidence: 'weak' });
  expect(without({ ...score({ tone: 'tense' }), points: { vocal: 67 }, score: 100 })['vocal']?.score).toBe(33);
});
