import { expect, test } from 'vitest';
import { createFinder } from './findings.js';
import { compileLexicon, numberIn } from './lexicon.js';
import { phrases } from './phrases.js';
import { createTokenizer } from './tokens.js';
import { areas, topicsByArea } from './vocabulary.js';

const lexicon = compileLexicon();
const topicsIn = (text: string) => {
  const words = createTokenizer().read(text);
  const numbers = Uint16Array.from({ length: words.count }, (_, i) => numberIn(lexicon, words, i));
  return new Set(createFinder(lexicon)(words, numbers, 0, words.count).hits.map(({ topic }) => topic));
};

test('every specific topic has phrases, and no general topic has phrases', () => {
  for (const area of areas) {
    const [general] = topicsByArea[area];
    for (const topic of topicsByArea[area]) expect(topic in phrases, topic).toBe(topic !== general);
  }
});

test('topic names are snake_case, and each belongs to one area', () => {
  const names = areas.flatMap((area) => topicsByArea[area]);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
});

test('each phrase without alternatives and classes matches its own text', () => {
  for (const [topic, list] of Object.entries(phrases)) {
    for (const phrase of list.split(', ')) {
      const text = phrase
        .replace(/^[!?]+/, '')
        .replaceAll('~', '')
        .replaceAll('*', '');
      if (!/[<|]/.test(text)) expect(topicsIn(text), phrase).toContain(topic);
    }
  }
});

test('a gap (~) matches three words, but not eight', () => {
  expect(topicsIn('i lost my very good job')).toContain('job_loss');
  expect(topicsIn('i lost the red umbrella that i bought near the job')).not.toContain('job_loss');
});

test('a stem matches any ending, and a word matches only itself', () => {
  expect(topicsIn('procrastinating')).toContain('time_pressure');
  expect(topicsIn('satsuma')).not.toContain('exams');
});
