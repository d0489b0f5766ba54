import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contextTags, isTask, keepOwnWords } from './own-words.js';
import { frontEnds, othersPassage, ownQuestion, pastedForms } from '../../testkit/front-ends.js';
import cases from './own-words.cases.json' with { type: 'json' };
import { createTexts } from './texts.js';

const own = 'Can you help me with this letter?';

test.each(cases)('$from: the own words of $text', ({ text, own }) => {
  expect(keepOwnWords(text)).toBe(own);
});

test.each(cases)('$from: line ends of other systems change nothing in $text', ({ text, own }) => {
  for (const end of ['\r\n', '\r', '\u2028']) {
    const message = text.replaceAll('\n', end);
    expect(keepOwnWords(message)).toBe(own === text ? message : own);
  }
});

const texts = createTexts(readFileSync(new URL('./weights/text.bin', import.meta.url)));
const hasDanger = (message: string) => texts.analyze(keepOwnWords(message)).check.danger !== undefined;
const dangers = [
  'I want to kill myself tonight.',
  'I took an overdose an hour ago.',
  'I cut my arms again last night.',
  'My husband hits me when he is drunk.',
  'He says he will post my pictures unless I pay him.',
  'i wanna die so bad rn',
];

test('in each front end and each pasted form, the dangers of others are not found, and own ones are', () => {
  const found = { others: [] as string[], missed: [] as string[] };
  // A fence of the person ends the fence in which LibreChat sends a document.
  const isAmbiguous = (name: string, form: string) => name === 'LibreChat' && form === 'fence';
  for (const [name, write] of Object.entries(frontEnds))
    for (const [form, paste] of Object.entries(pastedForms).filter(([it]) => !isAmbiguous(name, it)))
      for (const danger of dangers) {
        if (hasDanger(write(`${ownQuestion}\n\n${paste(danger)}`, paste(danger))))
          found.others.push(`${name}, ${form}: ${danger}`);
        if (!hasDanger(write(`${danger}\n\n${paste(othersPassage)}`, paste(othersPassage))))
          found.missed.push(`${name}, ${form}: ${danger}`);
      }
  expect(found).toEqual({ others: [], missed: [] });
});

test('each list of tags has a message, and what others write is kept only if nothing closes the block', () => {
  for (const names of Object.values(contextTags))
    expect(cases.some(({ text }) => names.split(' ').some((name) => text.includes(`</${name}>`)))).toBe(true);
  for (const { from, own: kept } of cases) expect(kept.includes('kill')).toBe(from === 'nothing closes the block');
});

test('a message of plain words stays as it is', () => {
  const plain = fc.array(fc.constantFrom('a', ' ', '\n', '<3', 'x < y', '->', '`', '"', "I'm", '#'));
  fc.assert(
    fc.property(plain, (parts) => {
      const text = parts.join(' ');
      expect(keepOwnWords(text)).toBe(text);
    }),
  );
});

test('the own words of own words are the same, and they are never longer', () => {
  const parts = fc.constantFrom(
    '<context>',
    '</context>',
    '<source a="b">',
    '</source>',
    '```',
    '\n',
    '> ',
    own,
    '<',
    '>',
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 30 }), (list) => {
      expect(keepOwnWords(list.join('')).length).toBeLessThanOrEqual(list.join('').length);
    }),
  );
});

// A quadratic function would take hours, and fail by the time limit of tests.
test.each([
  '<context>',
  '</context>',
  '<context a',
  '<context></context>',
  '`',
  '```a```',
  '```\n',
  '> ',
  "[a for '",
  '<',
  '### Task:</context>',
  'Anna: a\n',
  'From: a\n',
  '"text": "',
  '12:00 ',
  '1',
  'On a wrote:',
  'he said: "',
  'A  1:00\n',
])('%j, repeated to two million characters, is read in one pass', (part) => {
  const text = part.repeat(Math.ceil(2e6 / part.length));
  expect(keepOwnWords(text).length).toBeLessThanOrEqual(text.length);
});

test('a message without own words that begins like a request of a front end is one, and no other message', () => {
  const tasks = cases.filter(({ text }) => isTask(text));
  expect(new Set(tasks.map(({ from }) => from))).toEqual(new Set(['Open WebUI, title', 'LibreChat', 'LangChain']));
  for (const text of [own, `### Task: ${own}`, `Provide a concise title. ${own}`, `> ${own}`])
    expect(isTask(text)).toBe(false);
});
