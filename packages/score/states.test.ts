import fc from 'fast-check';
import { expect, test } from 'vitest';
import { held, nowMs } from '../../testkit/arbitraries.js';
import { law } from '../../testkit/law.js';
import { stateHold } from './model.js';
import type { PublishedState } from './rows/session.js';
import { findBand, computePublishedBefore, publishScore } from './states.js';

const value = fc.double({ min: 0, max: 100, noNaN: true });
const fused = (it: number, expressed = 0) => ({ value: it, expressed });

/** Timestamp of a session's first reading, long before the tested readings, in ms. */
const settledMs = -600_000;

/** Publishes one fused value every five seconds in a session that started long before. Returns the published scores. */
function publishAll(values: readonly number[], start: number): number[] {
  let held: PublishedState = { score: start, atMs: 0 };
  return values.map((it, index) => {
    const atMs = (index + 1) * 5000;
    const published = publishScore(fused(it), held, atMs, settledMs);
    held = computePublishedBefore(published, held, atMs);
    return published.score;
  });
}

test('the bands cover 0 to 100 at their edges', () => {
  const edges = [0, 19, 20, 39, 40, 59, 60, 79, 80, 100];
  expect(edges.map((score) => findBand(score).state)).toEqual(
    ['calm', 'relaxed', 'focused', 'stressed', 'acute_stress'].flatMap((state) => [state, state]),
  );
});

test('there is one recommendation per band', () => {
  const scores = Array.from({ length: 101 }, (_, score) => findBand(score).recommendation);
  expect(new Set(scores).size).toBe(5);
});

test('the first score is published without smoothing', () => {
  for (const [it, score] of [
    [19.4, 19],
    [19.6, 20],
    [59.5, 60],
  ] as const)
    expect(publishScore(fused(it), undefined, 0).score).toBe(score);
});

test('a value near the edge changes the band later than a value far beyond the edge', () => {
  const changeAfter = (it: number) => publishAll(Array<number>(200).fill(it), 50).findIndex((score) => score >= 60);
  expect(publishAll([65, 65], 50)).toEqual([59, 59]);
  expect(changeAfter(60.5)).toBe(-1);
  expect(changeAfter(69)).toBeGreaterThan(changeAfter(75));
  expect(changeAfter(75)).toBeGreaterThan(0);
});

test('a rise of two bands is published immediately, a fall of two bands is not', () => {
  expect(publishAll([65], 30)).toEqual([65]);
  expect(publishAll([30], 65)).toEqual([60]);
});

test('a rise of two bands within the rise time counts as one rise, even if the middle band was published', () => {
  const between: PublishedState = { score: 45, atMs: 0, bandSinceMs: 0, scoreBefore: 35 };
  expect(publishScore(fused(62), between, 5000, settledMs).score).toBe(62);
  const late = (stateHold.rise_seconds + 1) * 1000;
  expect(publishScore(fused(62), { ...between, atMs: late - 5000 }, late, settledMs).score).toBe(59);
});

test('a rise by new evidence of voice, face or words is published immediately', () => {
  const before: PublishedState = { score: 50, atMs: 0 };
  expect(publishScore(fused(62, 0), before, 5000, settledMs).score).toBe(59);
  expect(publishScore(fused(62, stateHold.immediate_log_odds), before, 5000, settledMs).score).toBe(62);
  const repeated = { ...before, expressed: 0.9 };
  expect(publishScore(fused(62, 1), repeated, 5000, settledMs).score).toBe(59);
  expect(publishScore(fused(62, 1.2), repeated, 5000, settledMs).score).toBe(62);
});

test('earlier evidence of voice, face and words holds the band while it fades', () => {
  const before: PublishedState = { score: 65, atMs: 0, dwell: -stateHold.dwell_point_seconds };
  expect(publishScore(fused(38, 0), before, 5000, settledMs).score).toBe(38);
  expect(publishScore(fused(38, 0), { ...before, expressed: 1.5 }, 5000, settledMs).score).toBe(60);
  expect(publishScore(fused(38, 0), { ...before, expressed: 1.5 }, 110_000, settledMs).score).toBe(38);
});

test('of a new person, a rise needs no margin when readings are 30 s apart: a speech is not held at focused', () => {
  const publish = (seconds: number, newness: number) =>
    publishScore({ ...fused(65), newness }, { score: 50, atMs: 0 }, seconds * 1000, settledMs).score;
  expect([publish(30, 1), publish(30, 0), publish(5, 1)]).toEqual([65, 59, 59]);
});

test('after a long pause, no score is held in its band', () => {
  const before: PublishedState = { score: 50, atMs: 0 };
  expect(publishScore(fused(61), before, stateHold.silence_seconds * 1000, settledMs).score).toBe(61);
});

law('the published band is that of the fused value, or the band published before', value, held, (it, before) => {
  const { score } = publishScore(fused(it), before, nowMs, nowMs - 600_000);
  const states = [findBand(Math.round(it)).state, findBand(before?.score ?? Math.round(it)).state];
  return states.includes(findBand(score).state);
});

law('within its band, the score is the rounded fused value', value, held, (it, before) => {
  const score = Math.round(it);
  fc.pre(before !== undefined && findBand(score).state === findBand(before.score).state);
  return publishScore(fused(it), before, nowMs, nowMs - 600_000).score === score;
});
