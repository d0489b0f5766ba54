import { expect, test } from 'vitest';
import type { TopicName } from '../text/vocabulary.js';
import { attributeStress, closeTurns, type TopicStress } from './attribution.js';
import type { RecentTurns } from './rows/session.js';

const still = { expressed: 0, heart: 0, explained: 0 };

/** Follows a conversation with a heart rate every 5 s. Returns the credits. */
function follow(
  seconds: number,
  heartRateAt: (second: number) => number,
  turns: Readonly<Record<number, TopicName>>,
  fusedAt: (second: number) => typeof still = () => still,
): TopicStress[] {
  const credits: TopicStress[] = [];
  let talk: RecentTurns | undefined;
  for (let second = 0; second <= seconds; second += 5) {
    const topic = turns[second];
    const observed = { atMs: second * 1000, heartRate: heartRateAt(second), fused: fusedAt(second) };
    const after = attributeStress(talk, observed, topic ? { topics: [topic], certain: [] } : undefined);
    talk = after.talk;
    if (after.credit) credits.push(after.credit);
  }
  return credits;
}

/** Returns the highest stress that counted for each topic. */
const stressByTopic = (credits: readonly TopicStress[]) =>
  Object.fromEntries(credits.map(({ topics, stress }) => [topics[0], stress]));

const riseAfter = (from: number, until: number) => (second: number) => (second >= from && second < until ? 92 : 70);

test('a rise counts for the turn before it and for no later turn while its evidence lasts', () => {
  const turns = { 0: 'exams', 60: 'debt', 120: 'sleep', 180: 'breakup', 300: 'self_esteem' } as const;
  const fusedAt = (second: number) => ({ ...still, heart: second >= 60 && second < 240 ? 1.2 : 0 });
  const { exams, ...later } = stressByTopic(follow(400, riseAfter(30, 150), turns, fusedAt));
  expect(exams).toBeGreaterThanOrEqual(60);
  expect(later).toEqual({ debt: 33, sleep: 33, breakup: 33, self_esteem: 33 });
});

test('a second rise counts for the later turn', () => {
  const heartRateAt = (second: number) => Math.max(riseAfter(20, 60)(second), riseAfter(320, 400)(second));
  const stress = stressByTopic(follow(500, heartRateAt, { 0: 'exams', 300: 'debt' }));
  expect(stress['debt']).toBeGreaterThanOrEqual(60);
});

test('a rise that is seen within seconds of a turn counts for the turn before it', () => {
  const stress = stressByTopic(follow(300, riseAfter(115, 200), { 0: 'exams', 120: 'debt' }));
  expect(stress['exams']).toBeGreaterThanOrEqual(60);
  expect(stress['debt']).toBeLessThan(40);
});

test('voice, face and words count at once, also during a rise that counts for an earlier turn', () => {
  const fusedAt = (second: number) => ({ ...still, expressed: second === 60 ? 2 : 0 });
  const [first, second] = follow(60, () => 70, { 0: 'exams', 60: 'debt' }, fusedAt);
  expect([first?.stress, second?.stress]).toEqual([33, 79]);
  const during = stressByTopic(follow(90, riseAfter(20, 200), { 0: 'exams', 60: 'debt' }, fusedAt));
  expect(during['debt']).toBe(79);
});

test('a rise that movement explains counts for no topic', () => {
  const fusedAt = () => ({ ...still, explained: 1 });
  expect(stressByTopic(follow(300, riseAfter(30, 150), { 0: 'exams' }, fusedAt))).toEqual({ exams: 33 });
});

test('a rise more than five minutes after the turn counts for no topic', () => {
  expect(stressByTopic(follow(600, riseAfter(310, 400), { 0: 'exams' }))).toEqual({ exams: 33 });
});

test('without a topic, nothing is stored', () => {
  const observed = { atMs: 0, heartRate: 70, fused: still };
  expect(attributeStress(undefined, observed, { topics: [], certain: [] })).toEqual({
    talk: undefined,
    credit: undefined,
  });
});

test('after the response to a turn was measured, no later rise counts for the turn', () => {
  const turn = { atMs: 0, topics: ['exams' as const], certain: [], expressed: 0, stress: 33 };
  const talk = { turns: [turn], atMs: 190_000, bpm: 70, lowBpm: 70, lowEvidence: 0 };
  const risen = { atMs: 220_000, heartRate: 110, fused: still };
  const credited = (isMeasured: boolean) =>
    attributeStress(closeTurns(talk, [{ atMs: 0, isMeasured }]), risen, undefined).credit;
  expect(credited(false)?.stress).toBeGreaterThanOrEqual(60);
  expect(credited(true)).toBeUndefined();
});
