import fc from 'fast-check';
import { expect, test } from 'vitest';
import { advanceAll, history, startMs } from '../../testkit/arbitraries.js';
import { checkLaw } from '../../testkit/law.js';
import type { Session } from './rows/session.js';
import { findBand, findChange, computeNextSeq } from './states.js';

const anyScore = fc.integer({ min: 0, max: 100 });

/** Returns a session with a given score. Its other fields do not matter. */
const scored = (score: number): Session => ({
  signals: {},
  firstAtMs: startMs,
  published: {},
  latest: { timestampMs: startMs, score, confidence: 1, model: 1, learned: 0, received: [], reason: '' },
});

test('each change of the band causes one event with both bands and the new score', () => {
  checkLaw(anyScore, anyScore, (before, after) => {
    const [previous_state, new_state] = [findBand(before).state, findBand(after).state];
    const timestamp = new Date(startMs).toISOString();
    const event = { event: 'state_change', session_id: 's1', stress_score: after, timestamp };
    const expected = previous_state === new_state ? undefined : { ...event, previous_state, new_state };
    expect(findChange('s1', scored(before), scored(after))).toEqual(expected);
  });
});

test('the first reading of a session changes no state', () => {
  fc.assert(
    fc.property(anyScore, (score) => {
      expect(findChange('s1', undefined, scored(score))).toBeUndefined();
    }),
  );
});

test('in any history, the previous state of each event is the new state of the event before', () => {
  fc.assert(
    fc.property(history, (readings) => {
      const sessions = advanceAll(readings).map(({ session }) => session);
      const events = sessions.flatMap((session, index) => findChange('s1', sessions[index - 1], session) ?? []);
      const states = [sessions[0], ...sessions.slice(-1)].map((it) => it && findBand(it.latest.score).state);
      const told = [states[0], ...events.map((event) => event.new_state)];
      expect(events.map((event) => event.previous_state)).toEqual(told.slice(0, -1));
      expect(told.at(-1)).toBe(states[1]);
    }),
    { numRuns: 300 },
  );
});

test('event numbers strictly increase, also when the clock is set back or the session starts again', () => {
  // Event times of one session, as ms since the previous event. The clock may stop or go back.
  const life = fc.array(fc.integer({ min: -1_000, max: 1_000 }), { maxLength: 20 });
  checkLaw(life, life, (first, second) => {
    const numbers: number[] = [];
    let nowMs = startMs;
    for (const gaps of [first, second]) {
      let session: Session | undefined;
      // The pause is longer than the clock of the earlier session was ahead.
      nowMs = Math.max(nowMs, (numbers.at(-1) ?? 0) + 1);
      for (const gap of gaps) {
        nowMs += session ? gap : 0;
        const seq = computeNextSeq(session, nowMs);
        session = { ...scored(0), eventSeq: seq };
        numbers.push(seq);
      }
    }
    for (const [index, number] of numbers.slice(1).entries()) expect(number).toBeGreaterThan(numbers[index] as number);
  });
});
