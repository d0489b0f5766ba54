import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Trigger } from './rows/trigger.js';
import {
  addSighting,
  addTurn,
  removeTopic,
  resolveByTurns,
  type Sighting,
  toProfile,
  unknownSubject,
} from './triggers.js';

/** Returns a trigger after sightings one second apart, each as [score, session] or [score, session, 'certain']. */
function seen(...sightings: ReadonlyArray<readonly [number, string, 'certain'?]>): Trigger {
  const sessions = new Set<string>();
  const after = sightings.reduce<Trigger | undefined>((trigger, [score, sessionId, certain], index) => {
    const isFirstInSession = !sessions.has(sessionId);
    const sighting = { score, sessionId, atMs: index * 1000, isFirstInSession, isCertain: certain !== undefined };
    sessions.add(sessionId);
    return addSighting(trigger, sighting);
  }, undefined);
  if (!after) throw new Error('nothing was seen');
  return after;
}

test('a topic without stress stays observed', () => {
  expect(seen([30, 'a'], [59, 'a'], [59, 'b'])).toMatchObject({ status: 'observed', sessions: 2, peakScore: 59 });
});

test('recent stress starts at the first score, and the newest sighting has weight ½', () => {
  expect(seen([40, 'a']).recent).toBe(40);
  expect(seen([40, 'a'], [80, 'a']).recent).toBe(60);
  expect(seen([40, 'a'], [80, 'a'], [20, 'a']).recent).toBe(40);
});

test('a topic becomes active at its second stressed sighting, not at the first', () => {
  expect(seen([100, 'a']).status).toBe('observed');
  expect(seen([60, 'a'], [60, 'a']).status).toBe('active');
  expect(seen([60, 'a'], [60, 'b']).status).toBe('active');
});

test('a concern named in the first person becomes active immediately in acute_stress', () => {
  expect(seen([80, 'a', 'certain']).status).toBe('active');
  expect(seen([79, 'a', 'certain']).status).toBe('observed');
  expect(seen([80, 'a']).status).toBe('observed');
});

test('a topic becomes active when its recent stress reaches the stressed band', () => {
  expect(seen([40, 'a'], [79, 'a']).status).toBe('observed');
  expect(seen([40, 'a'], [80, 'a']).status).toBe('active');
});

test('a raised stress replaces that of the sighting and is no second sighting', () => {
  const sighting = { atMs: 0, sessionId: 'a', isFirstInSession: true, isCertain: false };
  const raised = addSighting(addSighting(undefined, { ...sighting, score: 30 }), {
    ...sighting,
    score: 70,
    scoreBefore: 30,
  });
  expect(raised).toMatchObject({ status: 'observed', recent: 70, scoreSum: 70, sightings: 1, peakScore: 70 });
  const again = { ...sighting, sessionId: 'b', atMs: 1000 };
  const second = addSighting(addSighting(raised, { ...again, score: 30 }), { ...again, score: 60, scoreBefore: 30 });
  expect(second).toMatchObject({ status: 'active', recent: 65, scoreSum: 130, sightings: 2 });
});

test('a calm sighting whose stress is raised no longer supports a resolution', () => {
  const calm = { score: 10, sessionId: 'b', atMs: 1000, isFirstInSession: true, isCertain: false };
  const after = addSighting(seen([100, 'a', 'certain']), calm);
  expect(after.activation?.resolving).toBe(1);
  expect(addSighting(after, { ...calm, score: 50, scoreBefore: 10 }).activation?.resolving).toBe(0);
});

test('an active topic resolves after two calm sightings in later sessions, if recent stress is under the focused band', () => {
  expect(seen([80, 'a', 'certain'], [10, 'b']).status).toBe('active');
  expect(seen([80, 'a', 'certain'], [10, 'b'], [10, 'b']).status).toBe('resolved');
  expect(seen([80, 'a', 'certain'], [10, 'b'], [10, 'c']).status).toBe('resolved');
  expect(seen([100, 'a', 'certain'], [39, 'b'], [39, 'b']).status, 'recent stress is 54').toBe('active');
});

test('calm sightings in the activating session do not resolve a topic', () => {
  expect(seen([80, 'a', 'certain'], [5, 'a'], [5, 'a'], [5, 'a']).status).toBe('active');
});

test('calm sightings before the activation do not count towards the resolution', () => {
  expect(seen([10, 'x'], [10, 'y'], [100, 'a'], [80, 'a', 'certain'], [10, 'b']).status).toBe('active');
});

test('a resolved topic can become active again and then requires two new calm sightings to resolve', () => {
  const again = seen([80, 'a', 'certain'], [10, 'b'], [10, 'b'], [100, 'c'], [90, 'c']);
  expect(again.status).toBe('active');
  expect(again.changes.map(({ status }) => status)).toEqual(['observed', 'active', 'resolved', 'active'].slice(1));
  expect(again.activation).toMatchObject({ sessionId: 'c', resolving: 0 });
});

/**
 * Returns the status of an active topic after complete turns, each as [session, isCalm]. `school` are the calm turns in a row
 * about its area, and the hours since the first one.
 */
function statusAfterTurns(
  [turns, hours]: readonly [number, number],
  ...said: ReadonlyArray<readonly [string, boolean]>
) {
  const topics = { topics: ['exams' as const], calmTopics: [], isMeasured: true, isRisen: false };
  const atMs = 10_000;
  const school = { turns, sinceMs: atMs - hours * 3_600_000 };
  const after = said.reduce(
    (trigger, [sessionId, isCalm]) => {
      const turn = { ...topics, stress: 33, settled: 33, measured: 33, weight: 1, atMs, sessionId, isCalm };
      return resolveByTurns(addTurn(trigger, turn, true), 'exams', { calmInRow: { school } }, turn);
    },
    seen([80, 'a', 'certain']),
  );
  return after.status;
}

test('once it is comparable, a topic is resolved by calm turns in a row, or by those about its area over two days', () => {
  const [calm, risen] = [['b', true] as const, ['b', false] as const];
  expect(statusAfterTurns([0, 0], calm, calm, calm)).toBe('active');
  expect(statusAfterTurns([0, 0], calm, calm, calm, calm)).toBe('resolved');
  expect(statusAfterTurns([0, 0], calm, calm, risen, calm, calm)).toBe('active');
  expect(statusAfterTurns([2, 48], calm)).toBe('resolved');
  expect(statusAfterTurns([1, 48], calm)).toBe('active');
  expect(statusAfterTurns([2, 47], calm)).toBe('active');
  expect(statusAfterTurns([4, 48], risen)).toBe('active');
  expect(statusAfterTurns([5, 48], risen), 'without a turn about the topic').toBe('resolved');
  expect(statusAfterTurns([5, 48], ['a', true]), 'in the session of the activation').toBe('active');
});

test('once it is comparable, sightings change no status, because the minutes after them decide', () => {
  const sighting = {
    score: 90,
    atMs: 5000,
    sessionId: 'b',
    isFirstInSession: true,
    isCertain: true,
    isComparable: true,
  };
  expect(addSighting(seen([30, 'a']), sighting).status).toBe('observed');
  const calm = { ...sighting, score: 0 };
  const after = addSighting(addSighting(addSighting(seen([80, 'a', 'certain']), calm), calm), calm);
  expect(after).toMatchObject({ status: 'active', activation: { resolving: 0 } });
});

test('the mean has one decimal, and a late sighting does not change the last seen time', () => {
  const first = addSighting(undefined, {
    score: 50,
    atMs: 5000,
    sessionId: 'a',
    isFirstInSession: true,
    isCertain: false,
  });
  const second = addSighting(first, {
    score: 51,
    atMs: 9000,
    sessionId: 'b',
    isFirstInSession: true,
    isCertain: false,
  });
  const late = addSighting(second, {
    score: 53,
    atMs: 1000,
    sessionId: 'b',
    isFirstInSession: false,
    isCertain: false,
  });
  expect(toProfile('anna', new Map([['exams', late]]))).toEqual({
    subject_id: 'anna',
    triggers: {
      exams: {
        status: 'observed',
        avg_stress: 51.3,
        peak_stress: 53,
        sessions: 2,
        last_seen: '1970-01-01T00:00:09.000Z',
      },
    },
    active: [],
    resolved: [],
  });
});

test('active and resolved topics are listed most recent first, then by name', () => {
  const at = (score: number, atMs: number) => {
    const sighting = { score, atMs, sessionId: 'a', isFirstInSession: true, isCertain: false };
    return addSighting(addSighting(undefined, sighting), sighting);
  };
  const profile = toProfile(
    'anna',
    new Map([
      ['debt', at(70, 1000)],
      ['exams', at(90, 3000)],
      ['sleep', at(65, 2000)],
      ['grief', at(65, 2000)],
    ]),
  );
  expect(profile.active).toEqual(['exams', 'grief', 'sleep', 'debt']);
  expect(Object.keys(profile.triggers)).toEqual(profile.active);
});

const sightings: fc.Arbitrary<Sighting[]> = fc.array(
  fc.record({
    score: fc.integer({ min: 0, max: 100 }),
    atMs: fc.integer({ min: 0, max: 1_000_000 }),
    sessionId: fc.constantFrom('a', 'b', 'c'),
    isFirstInSession: fc.boolean(),
    isCertain: fc.boolean(),
  }),
  { minLength: 1, maxLength: 60 },
);

test('for any sightings, a topic resolves only after it was active, its mean is at most its peak, and its size is bounded', () => {
  fc.assert(
    fc.property(sightings, (all) => {
      let trigger: Trigger | undefined;
      let wasActive = false;
      for (const sighting of all) {
        trigger = addSighting(trigger, sighting);
        wasActive ||= trigger.status === 'active';
        expect(trigger.status !== 'resolved' || wasActive).toBe(true);
        expect(trigger.recent).toBeGreaterThanOrEqual(0);
        expect(trigger.recent).toBeLessThanOrEqual(trigger.peakScore);
        expect(trigger.scoreSum / trigger.sightings).toBeLessThanOrEqual(trigger.peakScore);
        expect(trigger.changes.length).toBeLessThanOrEqual(20);
        expect(JSON.parse(JSON.stringify(trigger))).toEqual(trigger);
      }
    }),
    { numRuns: 500 },
  );
});

test('a removed topic is in no list and no open turn of the person, and the turn remains', () => {
  const turn = { atMs: 0, sessionId: 'chat', stress: 40, expressed: 0, levelBpm: 70 };
  const all = { turns: 2, sum: 80, squares: 3_200 };
  const topics = ['exams' as const, 'debt' as const];
  const turns = { open: [{ ...turn, topics, calmTopics: topics.toReversed() }], heartAtMs: 0, all };
  const left = removeTopic({ ...unknownSubject, active: ['exams', 'debt'], resolved: ['exams'], turns }, 'exams');
  const expected = {
    active: ['debt'],
    turns: { ...turns, open: [{ ...turn, topics: ['debt'], calmTopics: ['debt'] }] },
  };
  expect(left).toEqual({ ...unknownSubject, ...expected });
  expect(removeTopic({ ...unknownSubject, turns: { all } }, 'exams')).toEqual({ ...unknownSubject, turns: { all } });
});
