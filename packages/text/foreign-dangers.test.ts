import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dangerWords } from './foreign-danger-words.js';
import { findForeignDanger } from './foreign-dangers.js';
import { toLatinHindi } from './hindi-letters.js';
import { loadTextModel } from './model.js';
import { createTextAnalyzer } from './texts.js';
import { createTokenizer } from './tokens.js';

const model = loadTextModel(readFileSync(new URL('./weights/text.bin', import.meta.url)));
const analyzer = createTextAnalyzer(model);
const check = (text: string) => analyzer.analyze(text).check;
const tokenizer = createTokenizer();
const find = (text: string) => findForeignDanger(text, tokenizer.read(text));

test.each([
  ...['Ich will sterben', 'ich moechte nicht mehr leben', 'Envie de mourir', 'jveux plus vivre', 'Pienso suicidarme'],
  ...[
    'Quiero morir',
    'me quiero morir',
    'no quiero vivir mas',
    'voglio morire',
    'quero morrer',
    'nao quero mais viver',
  ],
  ...['ik wil dood', '自杀', '我不想活了', 'mujhe marna hai', 'मैं मरना चाहता हूं', 'أريد أن أموت'],
])('"%s" is a danger, also within English text and between English sentences', (text) => {
  for (const message of [text, `honestly ${text}`, `I had a long day at work. ${text}. Nobody knows it.`])
    expect(check(message).danger, message).toBe('suicidal_thoughts');
});

test.each([
  ['ich ritze mich wieder', 'self_harm'],
  ['me corto los brazos', 'self_harm'],
  ['mon mari me frappe', 'violence'],
  ['mio padre mi picchia', 'violence'],
  ['爸爸喝醉了就打我', 'violence'],
  ['زوجي يضربني', 'violence'],
])('"%s" is %s', (text, kind) => expect(check(text).danger).toBe(kind));

test.each([
  ...['Ich will nicht sterben', 'Er will sterben', 'Ich sterbe vor Hunger', 'no quiero morir', 'me muero de risa'],
  ...['je ne veux pas mourir', 'In dem Lied singt sie: ich will sterben', 'non voglio morire', 'não quero morrer'],
  ...['ik wil niet dood', '笑死我了', '我不想死', 'मैं मरना नहीं चाहता', 'أموت من الضحك'],
  ...['„Ich will sterben“ ist eine Zeile aus meinem Roman', 'Er sagte: "Quiero morir", ¿qué significa?'],
])('"%s" is no danger', (text) => expect(check(text).danger).toBeUndefined());

/** Returns the texts of an author, by language and kind. */
function readAuthor(author: string) {
  const folder = new URL(`./training/texts/languages-dangers/${author}/`, import.meta.url);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.txt'))
    .flatMap((file) => {
      const [language = '', kind = ''] = file.replace('.txt', '').split('/');
      const texts = readFileSync(new URL(file, folder), 'utf8').trim().split('\n');
      return texts.map((text) => ({ text, language, kind }));
    });
}

test.each([
  ['first', 0.97, 0.97, 0.01],
  ['second', 0.95, 0.97, 0.02],
  ['third', 0.85, 0.8, 0.05],
])('texts of the %s set: the published shares are reached', (author, dangersMin, mixedMin, lookAlikesMax) => {
  const texts = readAuthor(author).map((it) => ({ ...it, isFound: check(it.text).danger !== undefined }));
  const share = (isOf: (kind: string) => boolean) => {
    const some = texts.filter(({ kind }) => isOf(kind));
    return some.filter(({ isFound }) => isFound).length / some.length;
  };
  expect(share((kind) => kind !== 'none' && kind !== 'mixed')).toBeGreaterThanOrEqual(dangersMin);
  expect(share((kind) => kind === 'mixed')).toBeGreaterThanOrEqual(mixedMin);
  expect(share((kind) => kind === 'none')).toBeLessThanOrEqual(lookAlikesMax);
});

test('no English text of this project states a danger in another language', () => {
  const folder = new URL('./training/texts/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const english = files.filter((file) => file.endsWith('.txt') && !/^languages|held-out/.test(file));
  const texts = english.flatMap((file) => readFileSync(new URL(file, folder), 'utf8').trim().split('\n'));
  expect(texts.filter((text) => find(text) !== undefined)).toEqual([]);
});

test('Devanagari is read as people write it in Latin letters', () => {
  expect(toLatinHindi('मैं मरना चाहता हूँ, ok?')).toBe('main marna chahta hun, ok?');
  expect(toLatinHindi('आत्महत्या खुदकुशी ज़िंदगी')).toBe('atmahatya khudkushi jindagi');
});

test('no text makes the search fail, and the result depends only on the text', () => {
  const words = JSON.stringify(dangerWords).match(/[\p{L}\p{M}]+/gu) ?? [];
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 4016 }),
    fc.array(fc.constantFrom(...words, '.', '"', '，'), { maxLength: 600 }).map((it) => it.join(' ')),
  );
  fc.assert(
    fc.property(text, (it) => {
      expect(findForeignDanger(it, createTokenizer().read(it))).toBe(find(it));
    }),
    { numRuns: 60 },
  );
});
