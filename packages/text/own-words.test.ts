import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contextTags, keepOwnWords } from './own-words.js';

const own = 'Can you help me with this letter?';
const others = 'I want to kill myself. My mother died.';

const messages: Record<string, readonly string[]> = {
  'Open WebUI': [
    `### Task:\nRespond to the user query using the provided context.\n\n<context>\n<source id="1" name="a.txt">${others}</source>\n</context>\n\n${own}`,
    `### Task:\nRespond to the user query.\n<context>\n${others}\n</context>\n<user_query>\n${own}\n</user_query>`,
  ],
  LibreChat: [
    `The user has attached a file:\n<files><file>${others}</file></files>\n${own}`.replace(/^.*\n/, ''),
    `Attached document(s):\n\`\`\`md\n# "letter.md"\n${others}\n\`\`\`\n${own}`.replace(/^.*\n/, ''),
  ],
  Cline: [
    `[read_file for 'notes/letter.md'] Result:\n${others}\n<feedback>${own}</feedback>\n<environment_details>\n# VSCode Visible Files\n${others}\n</environment_details>`,
    `<task>${own}</task>\n<file_content path="letter.md">\n${others}\n</file_content>`,
  ],
  'Claude Code': [
    `<system-reminder>\n${others}\n</system-reminder>\n${own}`,
    `<local-command-stdout>${others}</local-command-stdout>\n${own}\n<ide_selection>${others}</ide_selection>`,
  ],
  n8n: [
    `Use the following pieces of context to answer the question at the end.\n\n${others}\n\nQuestion: ${own}\nHelpful Answer:`,
    `<retrieved_documents><chunk>${others}</chunk></retrieved_documents>\n${own}`,
  ],
  'any client': [
    `> ${others}\n>> ${others}\n${own}`,
    `${own}\n~~~\n${others}\n~~~`,
    `${own}\n\`\`\`\`md\n\`\`\`\n${others}\n\`\`\`\n\`\`\`\``,
    `${own} \`\`\`${others}\`\`\``,
  ],
};

test.each(Object.entries(messages))('words that %s adds are not the own words of the person', (_, texts) => {
  for (const text of texts) {
    const kept = keepOwnWords(text);
    expect(kept).toContain(own);
    expect(kept).not.toContain('kill');
    expect(kept).not.toContain('mother');
  }
});

test('a request for a title has no own words', () => {
  const title = `### Task:\nGenerate a title.\n### Chat History:\n<chat_history>\nUSER: ${others}\n</chat_history>`;
  expect(keepOwnWords(title)).toBe('');
});

test.each([
  ...Object.values(contextTags).map((names) => `<${names.split(' ')[0]}>\n${others}`),
  `\`\`\`\n${others}`,
  `~~~\n${others}`,
  `\`\`\`\`\n${others}\n\`\`\``,
  `### Task:\n${others}`,
  `Use the following pieces of context to answer. ${others}`,
  `[read_file for 'a'] Result:\n${others}`,
  `</context>${others}<context>`,
  `<context><context></context>${others}`,
])('%j stays, because nothing closes the block', (text) => {
  expect(keepOwnWords(text)).toContain(others);
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
])('%j, repeated to two million characters, is read in one pass', (part) => {
  const text = part.repeat(Math.ceil(2e6 / part.length));
  expect(keepOwnWords(text).length).toBeLessThanOrEqual(text.length);
});
