import fc from 'fast-check';
import { expect, test } from 'vitest';
import { restrictState } from '../../src/view/grant.js';
import { anyOf, history, someSensing, startMs } from '../../testkit/arbitraries.js';
import { checkLaw, law } from '../../testkit/law.js';
import { grantOf } from '../../testkit/grants.js';
import { noLiveSignals } from './live.js';
import { chooseNewerStatement } from './movement.js';
import type { LiveSignals } from './rows/person.js';
import { advanceSession, type SessionStep } from './session.js';
import { labelNames, mergeSignals, type Reading } from './signals.js';

type Options = { readonly isShared: boolean; readonly isRead?: boolean };

/** Advances one session per name, in order of arrival. Returns all steps, and the live signals at the end. */
function advancePerson(arriving: ReadonlyArray<readonly [string, Reading]>, { isShared, isRead = true }: Options) {
  let live: LiveSignals = noLiveSignals;
  const last = new Map<string, SessionStep>();
  let baseline: SessionStep['baseline'] | undefined;
  const steps = arriving.map(([sessionId, reading]) => {
    const sharing = isShared ? { live, sessionId, isRead } : undefined;
    const step = advanceSession(last.get(sessionId)?.session, { ...reading, subjectId: 'p' }, baseline, { sharing });
    last.set(sessionId, step);
    ({ baseline } = step);
    live = step.live ?? live;
    return step;
  });
  return { steps, live };
}

const people = fc
  .tuple(history, fc.array(fc.constantFrom('watch', 'chat', 'phone'), { minLength: 1 }))
  .map(([readings, names]) =>
    readings.map((reading, index) => [names[index % names.length] ?? 'watch', reading] as const),
  );

law('a person with one session gets the same responses with and without sharing', history, (readings) => {
  const arriving = readings.map((reading) => ['watch', reading] as const);
  const [shared, separate] = [true, false].map((isShared) =>
    advancePerson(arriving, { isShared }).steps.map(({ computed }) => computed),
  );
  expect(shared).toEqual(separate);
});

law('a reading that must not see other sessions gets the score of separate sessions', people, (arriving) => {
  const blind = advancePerson(arriving, { isShared: true, isRead: false }).steps;
  const separate = advancePerson(arriving, { isShared: false }).steps;
  expect(blind.map(({ computed }) => computed)).toEqual(separate.map(({ computed }) => computed));
});

test('the live labels of a person are the newest of all sessions, in any distribution over sessions', () => {
  checkLaw(people, (arriving) => {
    const live = advancePerson(arriving, { isShared: true }).live.signals;
    // Late readings that change nothing in their session are not shared.
    const { live: together } = advancePerson(
      arriving.map(([, reading], index) => [`s${index}`, reading]),
      { isShared: true },
    );
    const newest = arriving.reduce((signals, [, reading]) => mergeSignals(signals, reading), {} as typeof live);
    for (const name of labelNames) {
      if (together.signals[name]) expect(together.signals[name]).toMatchObject(newest[name] as object);
      if (live[name]) expect(live[name]).toMatchObject(newest[name] as object);
    }
  });
});

test('a new session of a known person has the alone score of a session of an unknown person', () => {
  checkLaw(people, someSensing, (arriving, values) => {
    const { steps, live } = advancePerson(arriving, { isShared: true });
    const reading = { ...values, atMs: (arriving.at(-1)?.[1].atMs ?? startMs) + 1000 };
    const known = steps.at(-1)?.baseline;
    const sharing = { live, sessionId: 'new', isRead: true };
    const { computed } = advanceSession(undefined, reading, known, { sharing });
    const { computed: alone } = advanceSession(undefined, reading, known);
    const { score, confidence, reason, sinceMs } = restrictState(
      computed,
      grantOf('acc_1', { kind: 'session', sessionId: 'new' }),
      'anna',
    );
    expect(sinceMs === undefined).toBe(computed.alone !== undefined);
    expect({ score, confidence, reason }).toEqual({
      score: alone.score,
      confidence: alone.confidence,
      reason: alone.reason,
    });
  });
});

test('no reason of a stored state names a session, and no token gets a session id at all', () => {
  const shared = ['a', 'a)b', 'x'.repeat(200)].map(
    (session_id) => ({ signal: 'tone', session_id, timestamp: new Date(startMs).toISOString() }) as const,
  );
  const reason = `Tense voice (session a), low urgency (session a)b), calm face (session ${'x'.repeat(61)}...).`;
  const computed = { timestampMs: startMs, score: 50, confidence: 0.5, model: 2, received: [], learned: 0 };
  const grant = grantOf('acc_1', { kind: 'session', sessionId: 'own', subjectId: 'anna' });
  const seen = restrictState({ ...computed, reason, shared }, grant, 'anna');
  const another = '(another session)';
  const byKey = restrictState({ ...computed, reason, shared }, undefined, 'anna');
  expect(byKey).toEqual({ ...computed, reason: seen.reason, shared });
  expect(seen.reason).toBe(`Tense voice ${another}, low urgency ${another}, calm face ${another}.`);
  expect(JSON.stringify(seen)).not.toContain('session_id');
});

test('a late heart rate of another session does not replace the newest one of the person', () => {
  const at = (second: number, heart_rate: number) => ({ atMs: startMs + 1000 * second, heart_rate });
  const watch = [0, 20, 40, 60].map((second) => ['watch', at(second, 120)] as const);
  const { heart } = advancePerson(watch, { isShared: true }).live;
  expect(advancePerson([...watch, ['phone', at(50, 60)]], { isShared: true }).live.heart).toEqual(heart);
});

test('of two statements of movement, the newer one counts, and at the same time the stronger one', () => {
  const [rest, run] = [
    { value: 0, atMs: startMs + 1 },
    { value: 40, atMs: startMs },
  ];
  for (const order of [[rest, run] as const, [run, rest] as const]) expect(chooseNewerStatement(...order)).toBe(rest);
  const walk = { value: 10, atMs: startMs };
  for (const order of [[walk, run] as const, [run, walk] as const]) expect(chooseNewerStatement(...order)).toBe(run);
});

test('heart data counts the same in a new session of the person as in the session that measured it', () => {
  const heart = history.map((readings) =>
    readings.map(({ tone: _, expression: __, urgency: ___, sentiment: ____, ...measured }) => measured),
  );
  checkLaw(heart, anyOf.expression, (readings, expression) => {
    const arriving = readings.map((reading) => ['watch', reading] as const);
    const { steps, live } = advancePerson(arriving, { isShared: true });
    const { session, baseline } = steps.at(-1) as SessionStep;
    const reading = { expression, atMs: session.latest.timestampMs + 1000, subjectId: 'p' };
    const own = advanceSession(session, reading, baseline);
    fc.pre(!own.computed.reason.includes('unconfirmed'));
    const other = advanceSession(undefined, reading, baseline, {
      sharing: { live, sessionId: 'chat', isRead: true },
    });
    const isRaised = ({ computed }: SessionStep) => computed.score >= 40;
    const [shown, expected] = [other, own].map(({ fused, computed }) => {
      // A stale heart rate has no level. The confidence is that of the published score, which a session holds.
      const confidence = isRaised(own) === isRaised(other) ? computed.confidence : 0;
      return [fused?.heart, fused?.level && fused.explained, fused?.level?.bpm, confidence];
    });
    for (const [index, value] of (expected ?? []).entries()) expect(shown?.[index] ?? 0).toBeCloseTo(value ?? 0, 2);
  });
});
