import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { anyText } from '../../testkit/arbitraries.js';
import { gatherTopics } from './gather.js';
import { loadTextModel } from './model.js';
import { createTextAnalyzer, type Turn } from './texts.js';
import { areaOfTopic, type TopicName, topicsByArea } from './vocabulary.js';
import type { TopicEvidence } from './vocabulary.js';

const bytes = readFileSync(new URL('../../packages/text/weights/text.bin', import.meta.url));
const analyzer = createTextAnalyzer(loadTextModel(bytes));
const extractTopics = (kept: TopicEvidence | undefined, turn: Turn) => gatherTopics(kept, analyzer.analyzeTurn(turn));
const topicsOf = (user_message: string, ai_response = 'I see.') =>
  extractTopics(undefined, { user_message, ai_response }).topics;
const workOf = (kept: TopicEvidence | undefined) => kept?.areas.work ?? 0;

/** Processes the user messages in order. Returns the topics of the last one and the evidence after it. */
function play(messages: readonly string[], ai_response = 'I understand.') {
  let evidence: TopicEvidence | undefined;
  let topics: string[] = [];
  for (const user_message of messages) ({ topics, evidence } = extractTopics(evidence, { user_message, ai_response }));
  return { topics, evidence };
}

test.each([
  ['My performance review is next week', 'work_performance'],
  ['I was laid off in March and I have been out of work since', 'job_loss'],
  ['My boss keeps yelling at me in front of everyone', 'boss_and_coworkers'],
  ['my exam is tomorrow', 'exams'],
  ['I owe 12,000 dollars on my credit cards', 'debt'],
  ["I can't sleep at night", 'sleep'],
  ['My mom and I had a huge fight', 'family_conflict'],
  ['my boyfriend broke up with me', 'breakup'],
  ['I feel so lonely', 'loneliness'],
  ['my dog died last week', 'grief'],
  ["I can't decide which apartment to take", 'indecision'],
])('the most specific topic wins: %s', (message, topic) => {
  expect(topicsOf(message)[0]).toBe(topic);
});

test.each([
  ['My performance review is next week and I have no idea what they will say.', 'work_performance'],
  ['Rent is due on Friday and my card was declined at the supermarket this morning.', 'housing_costs'],
])('a phrase determines the topic although the rest of the text is vague: %s', (message, topic) => {
  expect(topicsOf(message)[0]).toBe(topic);
});

test.each([
  ["My mother keeps calling and I can't stop feeling worthless", 'self_esteem'],
  ['When my husband comes home I get so anxious that I cannot breathe', 'anxiety'],
  ['My girlfriend is wonderful but I am still depressed', 'depression'],
])('a feeling of the speaker ranks before a mentioned person: %s', (message, topic) => {
  expect(topicsOf(message)[0]).toBe(topic);
});

test('a named conflict with a person ranks before a feeling', () => {
  expect(topicsOf('My mom and I had a huge fight and I feel anxious')[0]).toBe('family_conflict');
});

test('a turn without a concern adds no evidence, neither from the user nor from the assistant', () => {
  const turn = { user_message: 'Write a poem about my boss', ai_response: 'Your boss, a job, a deadline, a shift.' };
  expect(extractTopics(undefined, turn)).toMatchObject({ topics: [], evidence: { areas: {}, topics: {} } });
});

test('a topic is certain when a phrase in the first person names it', () => {
  const certain = (user_message: string) => extractTopics(undefined, { user_message, ai_response: '' }).certainTopics;
  expect(certain('My exam is tomorrow')).toEqual(['exams']);
  expect(certain('Everything about school is awful lately')).toEqual([]);
});

test('a paper that is due is an assignment, a bill that is due is not', () => {
  expect(topicsOf('The rent is due tomorrow')).toEqual(['housing_costs']);
  expect(topicsOf('My paper is due on Friday')).toEqual(['assignments']);
});

test('an area without a specific topic yields its general one', () => {
  expect(topicsOf('work was fine today')).toEqual(['work_general']);
});

test.each(['my exam went great', 'I passed my finals, so relieved!', 'I am not worried about my exam anymore'])(
  'a calm turn also names its topic: %s',
  (message) => {
    const { topics, calmTopics } = extractTopics(undefined, { user_message: message, ai_response: '' });
    expect([...topics, ...calmTopics][0]).toBe('exams');
  },
);

test('a topic that is named without a concern is a calm topic, and the evidence does not grow', () => {
  const turn = { user_message: 'My boss made pancakes for the whole team', ai_response: 'A deadline, a shift.' };
  const expected = { topics: [], certainTopics: [], calmTopics: ['boss_and_coworkers'], evidence: { areas: {} } };
  expect(extractTopics(undefined, turn)).toMatchObject(expected);
});

test('calm topics require a phrase in the first person', () => {
  const turn = { user_message: 'What is the rent in Berlin?', ai_response: 'It depends.' };
  expect(extractTopics(undefined, turn)).toMatchObject({ topics: [], calmTopics: [] });
});

test.each([
  'hi',
  'Hello, how are you today?',
  'thanks, that was really helpful. bye!',
  'ok cool',
  "I'm fine, thanks for asking",
  '?',
  '',
])('small talk yields no topics: %s', (message) => expect(topicsOf(message)).toEqual([]));

test.each(["I'm not stressed right now", "I'm not anxious", 'nothing is stressing me out', 'i am not sad'])(
  'a denied feeling yields no topic: %s',
  (message) => expect(topicsOf(message)).toEqual([]),
);

test('a denied event yields no topic', () => {
  expect(topicsOf('I did not get fired after all, my boss just wanted to talk')).not.toContain('job_loss');
});

test('a negation ends at the next "I"', () => {
  expect(topicsOf("I don't know, I'm so depressed")).toContain('depression');
});

test('two topics in one turn are both listed, most likely first', () => {
  expect(topicsOf('I lost my job and now I cannot pay the rent')).toEqual(
    expect.arrayContaining(['job_loss', 'housing_costs']),
  );
});

test("the assistant's text alone yields no topic", () => {
  expect(topicsOf('ok', 'Exams can be hard. Shall we talk about your exams?')).toEqual([]);
});

test("the assistant's text adds context, and the user's text decides", () => {
  expect(topicsOf('my boss is a nightmare', 'How are your exams at school going?')[0]).toBe('boss_and_coworkers');
});

describe('a session', () => {
  test('a vague message continues the previous topic of the session', () => {
    const { evidence } = play(['I got laid off last week', 'the company is closing our plant']);
    const vague = { user_message: 'I have been there fifteen years and it hurts', ai_response: 'I am sorry.' };
    const aboutWork = (kept?: TopicEvidence) => workOf(extractTopics(kept, vague).evidence);
    expect(aboutWork(evidence)).toBeGreaterThan(aboutWork());
    expect(
      areaOfTopic.get(
        extractTopics(evidence, { ...vague, user_message: 'and my manager said nothing' }).topics[0] ?? 'grief',
      ),
    ).toBe('work');
  });

  test('small talk between turns yields no topics and keeps the evidence', () => {
    const { topics, evidence } = play(['my boss is a nightmare', 'thanks!']);
    expect(topics).toEqual([]);
    expect(workOf(evidence)).toBeGreaterThan(0.3);
  });

  test('a change of topic takes effect immediately', () => {
    expect(play(['my boss is a nightmare', 'he gives me extra shifts', 'my exam is tomorrow']).topics[0]).toBe('exams');
  });

  test('old evidence decays until it is empty', () => {
    const { evidence } = play(['my boss is a nightmare', ...Array.from({ length: 40 }, () => 'ok')], 'I see.');
    expect(evidence).toMatchObject({ areas: {}, topics: {} });
  });
});

test('any text is processed without an error, and evidence contains only topic names and numbers', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(anyText, anyText), { minLength: 1, maxLength: 5 }), (turns) => {
      let evidence: TopicEvidence | undefined;
      for (const [user_message, ai_response] of turns) {
        const found = extractTopics(evidence, { user_message, ai_response });
        evidence = found.evidence;
        expect(new Set(found.topics).size).toBe(found.topics.length);
        expect(found.topics.every((topic) => areaOfTopic.has(topic))).toBe(true);
      }
      // The evidence contains only vocabulary names and numbers, so no text can be stored.
      const { areas: byArea = {}, topics: byTopic = {} } = evidence ?? {};
      expect(Object.keys(byArea).every((name) => Object.hasOwn(topicsByArea, name))).toBe(true);
      expect(Object.keys(byTopic).every((name) => areaOfTopic.has(name as TopicName))).toBe(true);
      const values = [...Object.values(byArea), ...Object.values(byTopic)];
      expect(values.every((value) => value > 0 && value <= 9)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test('the same turn and evidence always give the same result', () => {
  fc.assert(
    fc.property(anyText, anyText, (first, other) => {
      const read = () => extractTopics(undefined, { user_message: first, ai_response: other });
      const before = read();
      extractTopics(undefined, { user_message: other, ai_response: first });
      expect(read()).toEqual(before);
    }),
    { numRuns: 60 },
  );
});

test('case, apostrophes and accents do not change the topics', () => {
  expect(topicsOf('MY BOYFRIEND BROKE UP WITH ME')).toEqual(topicsOf('my boyfriend broke up with me'));
  expect(topicsOf('I can’t pay the rent')).toEqual(topicsOf("I can't pay the rent"));
  expect(topicsOf('my fiancé broke up with me')).toEqual(topicsOf('my fiance broke up with me'));
});
