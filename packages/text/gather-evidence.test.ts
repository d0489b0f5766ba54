import { expect, test } from 'vitest';
import { addTextEvidence, decayEvidence, storeEvidence } from './gather.js';
import { topicNames } from './vocabulary.js';
import type { TopicEvidence } from './vocabulary.js';

const exams = topicNames.indexOf('exams');
const kept: TopicEvidence = { model: 7, areas: { school: 1 }, topics: { exams: 2 } };

test('evidence is stored by topic name with the model version, rounded down to two decimals, for at most nine topics', () => {
  const evidence = addTextEvidence(decayEvidence(undefined, 7), 1, [0.129 + 1 / 9, 0, 12], [[exams, 8.999]]);
  expect(storeEvidence(evidence, 7)).toEqual({ model: 7, areas: { work: 0.12, finances: 9 }, topics: { exams: 8.99 } });
});

test('evidence halves per half-life and finally becomes empty', () => {
  let evidence = kept;
  for (let turn = 0; turn < 3; turn++) evidence = storeEvidence(decayEvidence(evidence, 7), 7);
  expect(evidence.topics.exams).toBeCloseTo(1, 1);
  for (let turn = 0; turn < 40; turn++) evidence = storeEvidence(decayEvidence(evidence, 7), 7);
  expect(evidence).toEqual({ model: 7, areas: {}, topics: {} });
});

test('evidence of another model version is ignored', () => {
  expect(decayEvidence(kept, 8)).toEqual(decayEvidence(undefined, 8));
});

test('an unknown topic name does not shift evidence to another topic', () => {
  const renamed = { model: 7, areas: { college: 3 }, topics: { tests: 3, exams: 1 } } as unknown as TopicEvidence;
  expect(storeEvidence(decayEvidence(renamed, 7), 7)).toEqual({ model: 7, areas: {}, topics: { exams: 0.79 } });
});

test.each([
  null,
  'text',
  3,
  {},
  { model: 7 },
  { model: 7, areas: null, topics: [] },
  { model: 7, areas: { work: 'x' } },
])('damaged evidence is ignored: %j', (damaged) => {
  expect(decayEvidence(damaged as unknown as TopicEvidence, 7)).toEqual(decayEvidence(undefined, 7));
});
