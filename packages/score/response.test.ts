import { expect, test } from 'vitest';
import { type FinishedTurn, followTurns, type HeartLevel } from './response.js';
import { heartRise } from './model.js';
import type { PersonTurns } from './rows/person.js';

interface Followed {
  readonly second: number;
  readonly heartRate?: number;
  readonly sessionId?: string;
  readonly explained?: number;
  readonly isTurn?: true;
  readonly stress?: number;
  readonly expressed?: number;
}

/** Follows readings of a person. Returns the complete turns. */
const follow = (readings: readonly Followed[], isShared = true): FinishedTurn[] =>
  followAll(readings, isShared).finished;

function followAll(readings: readonly Followed[], isShared = true) {
  let turns: PersonTurns | undefined;
  const levels = new Map<string, HeartLevel>();
  const finished = readings.flatMap(({ second, heartRate, sessionId = 'watch', isTurn, stress = 33, ...it }) => {
    const fused = { expressed: it.expressed ?? 0, explained: it.explained ?? 0 };
    const said = isTurn && { topics: ['exams' as const], calmTopics: [], stress };
    const atMs = second * 1000;
    if (heartRate !== undefined) levels.set(isShared ? '' : sessionId, { bpm: heartRate, atMs });
    const newest = levels.get(isShared ? '' : sessionId);
    const level = newest && atMs - newest.atMs < 300_000 ? newest : undefined;
    const followed = followTurns(turns, { atMs, sessionId, heartRate, level, fused, isShared }, said);
    turns = followed.turns;
    return followed.finished;
  });
  return { finished, turns };
}

/** A heart rate per minute: 70 bpm until `untilSecond`, then 95 bpm. */
const watch = (fromSecond: number, toSecond: number, untilSecond: number, explained = 0): Followed[] =>
  Array.from({ length: (toSecond - fromSecond) / 60 + 1 }, (_, index) => fromSecond + 60 * index).map((second) => ({
    second,
    heartRate: second > untilSecond ? 95 : 70,
    explained: second > untilSecond ? explained : 0,
  }));

const turnAt = (second: number, sessionId = 'chat'): Followed => ({ second, sessionId, isTurn: true });

test('a rise that another session of the person measures raises the stress of a turn, after three minutes', () => {
  const before = [...watch(0, 300, 300), turnAt(310), ...watch(360, 420, 300)];
  expect(follow(before)).toEqual([]);
  expect(follow([...before, ...watch(480, 540, 300)])).toMatchObject([
    { topics: ['exams'], isMeasured: true, weight: 1 },
  ]);
  const [turn] = follow([...before, ...watch(480, 540, 300)]);
  expect(turn?.measured).toBeGreaterThan(60);
  expect(turn?.settled).toBe(Math.round(turn?.measured ?? 0));
});

test('a heart that was fast before the turn and does not rise after it does not count for the topics of the turn', () => {
  const fast = watch(0, 300, -1);
  const [turn] = follow([...fast, { ...turnAt(310), stress: 70 }, ...watch(360, 540, -1)]);
  expect(turn).toMatchObject({ stress: 70, settled: 33 });
  expect(follow([{ ...turnAt(310), stress: 70 }]), 'without a heart rate').toMatchObject([{ settled: 70 }]);
});

test('a rise counts from its smallest size on', () => {
  const rise = (bpm: number) =>
    watch(0, 540, 300).map((it) => ({ ...it, ...(it.heartRate === 95 && { heartRate: 70 + bpm }) }));
  const settled = (bpm: number) => {
    const [before, after] = [rise(bpm).slice(0, 6), rise(bpm).slice(6)];
    return follow([...before, turnAt(310), ...after])[0]?.settled;
  };
  expect(settled(heartRise.rise_bpm)).toBeGreaterThan(33);
  expect(settled(heartRise.rise_bpm - 0.1)).toBe(33);
});

test('a steady heart rate does not change the stress of a turn', () => {
  const [turn] = follow([...watch(0, 300, 900), turnAt(310), ...watch(360, 540, 900)]);
  expect(turn).toMatchObject({ settled: 33 });
  expect(turn?.measured).toBeCloseTo(33.2, 0);
});

test('a turn during movement counts less', () => {
  const [turn] = follow([...watch(0, 300, 300), turnAt(310), ...watch(360, 540, 300, 0.8)]);
  expect(turn?.weight).toBeCloseTo(0.2);
});

test('a heart rate represents the time since the heart rate before it, and at most a minute', () => {
  const response = [400, 420, 500].map((second) => ({ second, heartRate: 95, explained: second === 420 ? 1 : 0 }));
  const [turn] = follow([...watch(0, 360, 300), turnAt(320), ...response]);
  expect(turn?.weight).toBeCloseTo(0.8);
});

test('a turn soon after a rise had one too if the heart rate stays high, and none if it falls', () => {
  const first = [...watch(0, 300, 300), turnAt(310), ...watch(360, 480, 300), turnAt(490)];
  const lasting = follow([...first, ...watch(540, 720, 300)]);
  expect(lasting).toMatchObject([{ isRisen: true }, { isRisen: true, isCalm: false }]);
  const falling = watch(540, 720, 300).map((it) => ({ ...it, heartRate: 78 }));
  expect(follow([...first, ...falling])).toMatchObject([{ isRisen: true }, { isRisen: false, isCalm: true }]);
  const later = [...watch(540, 900, 300), turnAt(910), ...watch(960, 1140, 300)];
  expect(follow([...first, ...later])[2], 'a rise that lasts longer is another level').toMatchObject({
    isRisen: false,
  });
});

test('once the heart was measured, voice, face and words count half of a comparison, and fully for the sightings', () => {
  const said = { ...turnAt(310), expressed: 1.4, stress: 67 };
  const [alone] = follow([said]);
  const [measured] = follow([...watch(0, 300, 900), said, ...watch(360, 540, 900)]);
  expect(alone?.measured).toBeCloseTo(66.8, 1);
  expect(measured?.measured).toBeCloseTo(50, 1);
  expect([alone, measured].map((it) => it?.settled)).toEqual([67, 67]);
});

test('what is known of the turns of a person has a bounded size, and counts calm turns per area until a rise', () => {
  const later = [...watch(5100, 5400, 5400), turnAt(5410), ...watch(5460, 5640, 5400)];
  const calmTurns = Array.from({ length: 8 }, (_, index) => turnAt(1000 + 400 * index));
  const known = (...readings: Followed[]) => followAll(readings).turns;
  expect(known(...calmTurns)).toMatchObject({ calmInRow: { school: { turns: 5, sinceMs: 1_000_000 } } });
  expect(known(...calmTurns)?.calm).toEqual(known(...calmTurns)?.all);
  expect(known(...calmTurns, ...later)).toMatchObject({ calmInRow: {}, rise: { atMs: 5_410_000, fromBpm: 70 } });
  expect(known(...later)?.calm).toBeUndefined();
});

test('a turn without a live heart rate is complete at once', () => {
  expect(follow([turnAt(0)])).toMatchObject([{ isMeasured: false, settled: 33, weight: 1 }]);
  expect(follow([...watch(0, 60, 900), turnAt(400)])).toHaveLength(1);
});

test('sessions that do not share signals do not measure the turns of each other', () => {
  const turnWithHeartRate = { ...turnAt(310), heartRate: 70 };
  const [turn] = follow([...watch(0, 300, 300), turnWithHeartRate, ...watch(360, 540, 300)], false);
  expect(turn).toMatchObject({ settled: 33 });
  expect(turn?.measured).toBeCloseTo(33.2, 0);
});

test('a rise after the next turn counts for that turn only', () => {
  const pair = [turnAt(310), ...watch(360, 360, 430), turnAt(370), ...watch(420, 600, 430)];
  const [earlier, later] = follow([...watch(0, 300, 430), ...pair]);
  expect(earlier).toMatchObject({ settled: 33 });
  expect(later?.settled).toBeGreaterThan(60);
});

test('a turn is complete at the response of the next turn, and the earliest one of more than eight is too', () => {
  const before = watch(0, 300, 900);
  const pair = [turnAt(310), turnAt(345), { second: 375, heartRate: 70 }];
  expect(follow([...before, ...pair])).toEqual([]);
  expect(follow([...before, ...pair, { second: 376, heartRate: 70 }])).toHaveLength(1);
  const many = Array.from({ length: 9 }, (_, index) => turnAt(310 + index));
  expect(follow([...before, ...many.slice(1)])).toEqual([]);
  expect(follow([...before, ...many])).toMatchObject([{ atMs: 310_000 }]);
});
