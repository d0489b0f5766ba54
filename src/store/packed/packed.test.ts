import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hearTurn, type Session, type Step } from '../../domain/session.js';
import { history } from '../../domain/testing/arbitraries.js';
import { advanceAll } from '../../domain/testing/pipeline.js';
import { newEvidence, writeEvidence } from '../../domain/topics/evidence.js';
import { topicNames } from '../../domain/topics/vocabulary.js';
import { answerText, toAnswer } from './answer.js';
import { sessionText, toSession } from './session.js';
import { subjectText, toSubject } from './subject.js';

const someTopics = fc.subarray([...topicNames]);
const evidence = writeEvidence({ ...newEvidence(), areas: new Float64Array([1, 2, 3, 4, 5, 6, 7, 8]) });

/** A step of any life, with or without talk, events, and a known person. */
const anyStep = fc
  .tuple(history, someTopics, fc.option(fc.integer({ min: 1 })), fc.boolean())
  .map(([readings, topics, eventSeq, isKnown]): Step => {
    const { answer, session, ...step } = advanceAll(readings).at(-1) as Step;
    const heard = topics.length > 0 ? hearTurn(session, { topics, evidence }) : session;
    const triggers = { active: topics.slice(0, 3), resolved: topics.slice(3) };
    return {
      ...step,
      answer: { ...answer, ...(topics.length > 0 && { topics }), ...(isKnown && { triggers }) },
      session: { ...heard, ...(eventSeq !== null && { eventSeq }) },
    };
  });

/** As it comes back from JSON, which knows no undefined. */
const plain = <T>(content: T): T => JSON.parse(JSON.stringify(content));

test('a session, an answer and a person are read as they were written', () => {
  fc.assert(
    fc.property(anyStep, ({ session, answer, baseline }) => {
      expect(toSession(sessionText(session))).toEqual(plain(session));
      expect(toAnswer(answerText(answer))).toEqual(plain(answer));
      for (const subject of [
        { active: [], resolved: [] },
        { active: topicNames, resolved: [], baseline },
      ])
        expect(toSubject(subjectText(subject))).toEqual(plain(subject));
    }),
  );
});

test('rows from before texts were packed are read as well', () => {
  fc.assert(
    fc.property(anyStep, ({ session, answer }) => {
      expect(toSession(JSON.stringify(session))).toEqual(plain<Session>(session));
      expect(toAnswer(JSON.stringify(answer))).toEqual(plain(answer));
    }),
  );
  const subject = { active: ['exams'], resolved: [], baseline: {} };
  expect(toSubject(JSON.stringify(subject))).toEqual(subject);
});

test('what was stored once is read for ever: names have the same codes, values the same places', () => {
  const stored = '[1760000000000,82,0.42,"S7Ilqa","Hostile voice.",null,"xO21r1",["1r1","xO2"]]';
  const answer = {
    timestampMs: 1_760_000_000_000,
    score: 82,
    confidence: 0.42,
    received: ['cardiovascular', 'vocal'],
    reason: 'Hostile voice.',
    topics: ['boss_and_coworkers', 'exams'],
    triggers: { active: ['exams'], resolved: ['boss_and_coworkers'] },
  };
  expect(toAnswer(stored)).toEqual(answer);
  const session = `[${stored},[[120,0],null,["hostile",2000],null,null],31,null,null,null,""]`;
  expect(toSession(session)).toEqual({
    latest: answer,
    signals: {
      heart_rate: { value: 120, atMs: 1_760_000_000_000 },
      tone: { value: 'hostile', atMs: 1_759_999_998_000 },
    },
    heldScore: 31,
  });
  expect(toSubject('["1r1","xO2",null]')).toEqual(answer.triggers);
});

test('a topic that the vocabulary has no longer is left out', () => {
  const stored = subjectText({ active: ['exams', 'sleep'], resolved: [] }).replace(/"(...)(...)"/, '"$1???$2"');
  expect(toSubject(stored)).toEqual({ active: ['exams', 'sleep'], resolved: [] });
});
