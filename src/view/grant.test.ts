import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ComputedState, OwnScore } from '../../packages/score/rows/session.js';
import { grantOf } from '../../testkit/grants.js';
import { law } from '../../testkit/law.js';
import type { StoredResult } from '../contract/exported-reading.js';
import { type Grant, isBeforeErasure } from '../contract/grant.js';
import { readWhose } from '../contract/whose.js';
import type { Report } from '../store/feedback.js';
import type { StreamedReading } from '../store/readings-by-position.js';
import { isGranted, isHidden, mayName, restrictEvent, restrictReport, restrictRow, restrictState } from './grant.js';

/** The session of the tokens, and another session of the same person. */
const [own, other] = ['kiosk', 'secret-watch'];
const issued = { issuedAtMs: 1_000 };
const namespace = '~0123456789abcdef~';

/** A credential of each kind. Those of a person are Anna's. */
const grants = {
  'a key': grantOf(),
  'a token of the account': grantOf('acc_1', { ...issued, kind: 'oauth' }),
  'a token of a session': grantOf('acc_1', { ...issued, kind: 'session', sessionId: own }),
  'a token of a session with its person': grantOf('acc_1', {
    ...{ ...issued, kind: 'session', sessionId: own, subjectId: 'anna' },
  }),
  'a token of a person': grantOf('acc_1', { ...issued, kind: 'oauth', subjectId: 'anna', namespace }),
} as const;
type Kind = keyof typeof grants;
const kinds = Object.keys(grants) as Kind[];

/** Returns what a viewer of each kind gets. */
const perKind = <T>(get: (viewer: Grant) => T) => Object.fromEntries(kinds.map((kind) => [kind, get(grants[kind])]));

/** Returns true if the viewer may know what the other sessions of a person show. */
const knows = (kind: Kind, subjectId: string | undefined): boolean =>
  kind === 'a key' || kind === 'a token of the account' || (kind !== 'a token of a session' && subjectId === 'anna');

const score = fc.integer({ min: 0, max: 100 });
const confidence = fc.double({ min: 0, max: 1, noNaN: true });
/** Rows of earlier releases have no points. */
const ownScore: fc.Arbitrary<OwnScore> = fc.record(
  {
    ...{ score, confidence, previousScore: fc.option(score, { nil: undefined }) },
    ...{ reason: fc.constantFrom('Calm voice.', 'No signal.'), points: fc.constant({ vocal: 3 }) },
  },
  { requiredKeys: ['score', 'confidence', 'reason', 'previousScore'] },
);
/** What the evidence of another session changes in a state. */
const evidence = fc
  .record({
    ...{ score, confidence, previousScore: score, sinceMs: fc.nat() },
    ...{ session_id: fc.constantFrom(other, 'secret'), points: fc.record({ other_session: score }) },
  })
  .map(({ session_id, ...values }) => ({
    ...{ ...values, reason: `Heart rate (session ${session_id}).` },
    shared: [{ signal: 'heart_rate' as const, session_id, timestamp: '2026-11-20T08:00:00.000Z' }],
  }));
const state: fc.Arbitrary<ComputedState> = fc
  .record(
    { evidence, timestampMs: fc.nat(), learned: score, alone: ownScore },
    { requiredKeys: ['evidence', 'timestampMs', 'learned'] },
  )
  .map(({ evidence: seen, ...rest }) => ({ ...rest, ...seen, model: 1, received: ['vocal'] }));
const subjectId = fc.constantFrom('anna', 'ben', undefined);
const sessionId = fc.constantFrom(own, other);
const toChange = (from: string, at: number) => JSON.stringify({ session_id: from, stress_score: at });

/** All forms in which a viewer gets a state, of a session and its person. */
function show(computed: ComputedState, of: Pick<StreamedReading, 'sessionId' | 'subjectId'>, viewer: Grant) {
  const reading = { ...of, position: 1, computed };
  const event = restrictEvent({ ...reading, stateChange: toChange(of.sessionId, computed.score) }, viewer);
  const { score: rowScore, confidence, timestampMs, model } = computed;
  const values = { ...{ score: rowScore, confidence, timestampMs, model }, measured: {}, isBackfill: false };
  const row: StoredResult = { ...reading, ...values, previousState: computed.score > 50 ? 'calm' : 'stressed' };
  return { state: restrictState(computed, viewer, of.subjectId), event, row: restrictRow(row, viewer) };
}

law(
  'who may not know the other sessions of a person gets the same, whatever they show',
  ...[state.filter(({ alone }) => alone !== undefined), evidence, evidence, sessionId, subjectId],
  (computed, seen, before, from, person) => {
    for (const kind of kinds.filter((it) => !knows(it, person) && !isHidden(grants[it], person))) {
      const [one, two] = [seen, before].map((it) =>
        show({ ...computed, ...it }, { sessionId: from, subjectId: person }, grants[kind]),
      );
      expect([kind, one]).toEqual([kind, two]);
      expect(one?.state.score).toBe(computed.alone?.score);
      expect(one?.row).toMatchObject({ score: computed.alone?.score, confidence: computed.alone?.confidence });
    }
  },
);

law('who may know them gets the whole score', state, sessionId, subjectId, (computed, from, person) => {
  const { reason: _, shared: __, alone: ___, ...values } = computed;
  for (const kind of kinds.filter((it) => knows(it, person))) {
    const shown = show(computed, { sessionId: from, subjectId: person }, grants[kind]);
    for (const part of [shown.state, shown.event.computed, shown.row.computed, shown.row])
      expect([kind, part]).toMatchObject([kind, part === shown.row ? { score: computed.score } : values]);
    expect(shown.row.previousState).toBeDefined();
  }
});

law('no session token gets the id of another session', state, sessionId, subjectId, (computed, from, person) => {
  for (const kind of ['a token of a session', 'a token of a session with its person'] as const) {
    const shown = show(computed, { sessionId: from, subjectId: person }, grants[kind]);
    expect(JSON.stringify(shown)).not.toContain('secret');
    expect([shown.event.stateChange === null, shown.row.sessionId]).toEqual(
      from === own ? [computed.alone !== undefined && !knows(kind, person), own] : [true, undefined],
    );
  }
});

law('a person gets no namespace', state, (computed) => {
  const shown = show(computed, { sessionId: `${namespace}chat`, subjectId: 'anna' }, grants['a token of a person']);
  expect(JSON.stringify(shown)).not.toContain(namespace);
  expect([shown.event.sessionId, shown.row.sessionId, shown.event.stateChange]).toEqual([
    ...['chat', 'chat'],
    toChange('chat', computed.score),
  ]);
});

test('what a credential may name: its session, its person, or all of the account', () => {
  const granted = (names: Partial<Record<'session_id' | 'subject_id', string>>) =>
    kinds.filter((kind) =>
      isGranted(grants[kind], readWhose({ session_id: undefined, subject_id: undefined, ...names })),
    );
  const [key, account, session, sessionOfPerson, person] = kinds;
  expect(granted({})).toEqual([key, account]);
  expect(granted({ session_id: own })).toEqual(kinds);
  // The gate checks whose session it is when it is found.
  expect(granted({ session_id: other })).toEqual([key, account, person]);
  expect(granted({ subject_id: 'anna' })).toEqual([key, account, sessionOfPerson, person]);
  expect(granted({ subject_id: 'ben' })).toEqual([key, account]);
  const seen = (subject: string | undefined) => kinds.filter((kind) => !isHidden(grants[kind], subject));
  expect(seen('anna')).toEqual(kinds);
  for (const subject of ['ben', undefined]) expect(seen(subject)).toEqual([key, account, session, sessionOfPerson]);
});

test('a reading may name the person of its token, or of its session', () => {
  const naming = (subject: string | undefined, subjectOfSession: string | undefined) =>
    kinds.slice(1).filter((kind) => mayName(grants[kind], subject, subjectOfSession));
  const [, account, session, sessionOfPerson, person] = kinds;
  expect(naming('anna', undefined)).toEqual([account, sessionOfPerson, person]);
  expect(naming('ben', undefined)).toEqual([account]);
  expect(naming('ben', 'ben')).toEqual([account, session, sessionOfPerson]);
  expect(naming(undefined, 'ben')).toEqual([account, session, sessionOfPerson]);
});

test('a token of the moment of an erasure is from before it', () => {
  expect(
    [0, 999, 1_000, 1_001].map((erasedAtMs) => isBeforeErasure(grants['a token of a session'], erasedAtMs)),
  ).toEqual([...[false, false], ...[true, true]]);
});

test('a report has its published score for who may read it, and is refused about a session that is hidden', () => {
  const report = {
    id: 'fb_1',
    timestampMs: 1,
    stress: 5,
    recordedAtMs: 2,
    published: { score: 70 },
  } as unknown as Report;
  const showTo = (subject: string | undefined, more: Partial<Grant>) =>
    perKind((grant) => {
      try {
        return restrictReport(report, { ...grant, ...more }, subject).published !== undefined;
      } catch (error) {
        return (error as { code?: string }).code;
      }
    });
  const known = { 'a key': true, 'a token of the account': true, 'a token of a session with its person': true };
  const hidden = { 'a token of a person': 'session_not_found' };
  expect(showTo('anna', { scopes: ['read'] })).toEqual({
    ...known,
    'a token of a session': false,
    'a token of a person': true,
  });
  expect(showTo('ben', { scopes: ['read'] })).toEqual({
    ...known,
    ...{ 'a token of a session': false, 'a token of a session with its person': false },
    ...hidden,
  });
  expect(showTo(undefined, { scopes: ['read'] })).toEqual({ ...known, 'a token of a session': true, ...hidden });
  expect(Object.values(showTo('anna', {})).filter(Boolean)).toEqual([true]);
});
