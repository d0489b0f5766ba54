import { endings, formClasses, formClassNames, functionWords, openingVerbs } from './forms.js';
import type { Words } from './tokens.js';

/**
 * Numbers of the word forms, in this order: no form, other words, endings, digits, classes, function words, sentence
 * marks, a denied feeling.
 */
export const noForm = 0;
const otherWord = 1;
const firstEnding = 2;
const digits = firstEnding + endings.length;
const firstClass = digits + 1;
const firstFunctionWord = firstClass + formClassNames.length;
export const sentenceStart = firstFunctionWord + functionWords.length;
export const fullStop = sentenceStart + 1;
export const questionMark = sentenceStart + 2;
/** A feeling that a negation denies ("not worried"). */
export const deniedFeeling = sentenceStart + 3;

/**
 * Bits of a word's forms. The lowest bits are the form classes, in order. The object contains only the bits that code
 * refers to.
 */
export const formBits = {
  person: 1 << formClassNames.indexOf('person'),
  life: 1 << formClassNames.indexOf('life'),
  opensInstruction: 1 << formClassNames.length,
  firstPerson: 2 << formClassNames.length,
  my: 4 << formClassNames.length,
} as const;

/** Minimum number of letters before an ending. */
const STEM_LETTERS_MIN = 3;

const firstPersonWords = new Set(['i', 'im', 'ive', 'id', 'ill', 'me', 'my', 'myself']);
const numberOfFunctionWord = new Map(functionWords.map((word, i) => [word, firstFunctionWord + i]));
const items = formClassNames.map((name) => coverOf(formClasses[name].split(' ')));

/** Compiles the forms and bits of the known words, then of the stems. The first entry is for an unknown word. */
export function compileForms(words: readonly string[], stems: readonly string[]) {
  const entries = [undefined, ...words, ...stems.map((stem) => `${stem}*`)].map(entryOf);
  return {
    forms: Uint16Array.from(entries, ({ form }) => form),
    formBits: Uint16Array.from(entries, ({ bits }) => bits),
  };
}

function entryOf(item: string | undefined): { form: number; bits: number } {
  if (item === undefined) return { form: noForm, bits: 0 };
  const classes = items.flatMap((covers, id) => (covers(item) ? [id] : []));
  const byClass = classes[0] === undefined ? formOfKnown(item) : firstClass + classes[0];
  const bits =
    classes.reduce((sum, id) => sum | (1 << id), 0) |
    (openingVerbs.has(item) ? formBits.opensInstruction : 0) |
    (firstPersonWords.has(item) ? formBits.firstPerson : 0) |
    (item === 'my' ? formBits.my : 0);
  return { form: numberOfFunctionWord.get(item) ?? byClass, bits };
}

/** Returns the form of a known word or stem. A stem has no form, because the ending of the full word decides. */
function formOfKnown(item: string): number {
  if (item.endsWith('*')) return noForm;
  const ending = endings.findIndex((it) => item.endsWith(it) && item.length >= it.length + STEM_LETTERS_MIN);
  return /^0/.test(item) ? digits : ending < 0 ? otherWord : firstEnding + ending;
}

/** Returns a function that tells if a list of words and stems covers a word or a longer `stem*`. */
function coverOf(list: readonly string[]): (item: string) => boolean {
  const words = new Set(list);
  const stems = list.filter((it) => it.endsWith('*')).map((it) => it.slice(0, -1));
  return (item) => words.has(item) || stems.some((stem) => item.startsWith(stem));
}

const ZERO = 48;
const endingCodes = endings.map((ending) => Uint8Array.from(ending, (letter) => letter.charCodeAt(0)));

/** Returns the form of a word without a listed form, by its digits or ending. */
export function formByEnding({ letters, starts, ends }: Words, i: number): number {
  const start = starts[i] ?? 0;
  const end = ends[i] ?? 0;
  if (letters[start] === ZERO) return digits;
  for (let number = 0; number < endingCodes.length; number++) {
    const codes = endingCodes[number];
    if (codes && end - codes.length - start >= STEM_LETTERS_MIN && endsWith(letters, end, codes))
      return firstEnding + number;
  }
  return otherWord;
}

function endsWith(letters: Uint8Array, end: number, codes: Uint8Array): boolean {
  for (let k = 1; k <= codes.length; k++) if (letters[end - k] !== codes[codes.length - k]) return false;
  return true;
}
