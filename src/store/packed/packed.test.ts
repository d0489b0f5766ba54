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
});

test('a topic that the vocabulary has no longer is left out', () => {
  const stored = subjectText({ active: ['exams', 'sleep'], resolved: [] }).replace(/"(...)(...)"/, '"$1???$2"');
  expect(toSubject(stored)).toEqual({ active: ['exams', 'sleep'], resolved: [] });
});
