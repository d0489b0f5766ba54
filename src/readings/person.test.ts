import fc from 'fast-check';
import { expect, test } from 'vitest';
import { history } from '../../testkit/arbitraries.js';
import { checkLaw, law } from '../../testkit/law.js';
import { noLiveSignals } from '../../packages/score/live.js';
import type { LiveSignals, Subject } from '../../packages/score/rows/person.js';
import type { ComputedState, Session } from '../../packages/score/rows/session.js';
import { advanceSession, type SessionStep } from '../../packages/score/session.js';
import type { Reading } from '../../packages/score/signals.js';
import { unknownSubject } from '../../packages/score/triggers.js';
import type { StoredSession } from '../store/sessions.js';
import { beginProgress, processReading } from './advance.js';

const subjectId = 'anna';
type Arriving = ReadonlyArray<readonly [sessionId: string, reading: Reading]>;

const people = fc
  .tuple(history, fc.array(fc.constantFrom('watch', 'watch', 'chat', 'phone'), { minLength: 1, maxLength: 8 }))
  .map(([readings, names]): Arriving =>
    readings.map((reading, index) => [names[Math.floor(index / 2) % names.length] ?? 'watch', reading]),
  );

/** Processes each reading as a group of its own. Rows pass through JSON. */
function processAll(arriving: Arriving) {
  const rows = new Map<string, Session>();
  let subject: Subject | undefined;
  const steps = arriving.map(([sessionId, { atMs, subjectId: _, ...signals }], index) => {
    const progress = beginProgress({
      sessions: new Map<string, StoredSession>([[sessionId, { incarnation: '', session: rows.get(sessionId) }]]),
      subjects: new Map([[subjectId, subject]]),
      others: rows,
      ...{ alreadyStored: new Map(), erasedAtMs: () => 0, nowMs: atMs },
    });
    const key = { accountId: 'acc', sessionId, subjectId, timestampMs: atMs, digest: String(index) };
    const taken = processReading(progress, { ...key, signals });
    if (taken.kind !== 'taken') throw new Error(taken.kind);
    const restore = <T>(row: T): T => JSON.parse(JSON.stringify(row));
    rows.set(sessionId, restore(progress.sessions.get(sessionId)?.session as Session));
    subject = restore(progress.subjects.get(subjectId) as Subject);
    return { computed: taken.step.computed, subject };
  });
  return steps;
}

/** Scores each reading with live signals that the person's row always contains. */
function scoreAll(arriving: Arriving): ComputedState[] {
  let live: LiveSignals = noLiveSignals;
  let baseline: SessionStep['baseline'] | undefined;
  const sessions = new Map<string, Session>();
  return arriving.map(([sessionId, reading]) => {
    const sharing = { live, sessionId, isRead: true };
    const step = advanceSession(sessions.get(sessionId), { ...reading, subjectId }, baseline, { sharing });
    sessions.set(sessionId, step.session);
    ({ baseline } = step);
    live = step.live ?? live;
    return step.computed;
  });
}

/** The level of an unconfirmed heart rate is approximate, so only its session and its time are compared. */
const listShared = (states: readonly ComputedState[]) => states.map(({ shared }) => shared);

test('the signals of a person count in all sessions, also if the row of the person contains none', () => {
  checkLaw(people, (arriving) => {
    const steps = processAll(arriving).map(({ computed }) => computed);
    expect(listShared(steps)).toEqual(listShared(scoreAll(arriving)));
  });
});

law('the row of a person with one session contains no signals', history, (readings) => {
  const steps = processAll(readings.map((reading) => ['watch', reading] as const));
  for (const { subject } of steps) expect(subject).not.toHaveProperty('live');
});

test('a rise of the heart rate after a message about a danger counts for no topic that was said before', () => {
  const open = { atMs: 0, sessionId: 'chat', topics: ['exams'] as const, calmTopics: [], stress: 40 };
  const measure = (danger: 'self_harm' | undefined, bpmAfter: number) => {
    let subject: Subject = { ...unknownSubject, turns: { open: [{ ...open, expressed: 0, levelBpm: 60 }] } };
    let session: Session | undefined;
    return [30, 60, 90, 120, 180, 240, 320].flatMap((seconds) => {
      const progress = beginProgress({
        sessions: new Map<string, StoredSession>([['chat', { incarnation: '', session }]]),
        subjects: new Map([[subjectId, subject]]),
        ...{ alreadyStored: new Map(), erasedAtMs: () => 0, nowMs: 0 },
      });
      const key = {
        accountId: 'acc',
        sessionId: 'chat',
        subjectId,
        timestampMs: 1000 * seconds,
        digest: String(seconds),
      };
      const check = seconds === 30 && danger ? { check: { isForeign: false, danger } } : {};
      const signals = { heart_rate: seconds === 30 ? 60 : bpmAfter };
      const taken = processReading(progress, { ...key, ...check, signals });
      if (taken.kind !== 'taken') throw new Error(taken.kind);
      session = progress.sessions.get('chat')?.session;
      subject = progress.subjects.get(subjectId) ?? subject;
      return taken.finished;
    });
  };
  const [calm] = measure(undefined, 60);
  expect(measure('self_harm', 110)).toMatchObject([{ topics: ['exams'], measured: calm?.measured }]);
  expect(measure(undefined, 110)[0]?.measured).toBeGreaterThan(calm?.measured ?? 100);
});
