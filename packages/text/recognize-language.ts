import { dangerWords, type DangerWords } from './foreign-danger-words.js';
import { englishWords, languageWords, sharedWords } from './language-words.js';
import { buildWordTable, findNumber } from './tables.js';
import { hashWord, marks, type Words } from './tokens.js';

/** A language of the table, by its code. A code stands for similar languages too: `sv` for Danish, `pl` for Czech. */
export type TableLanguage = keyof typeof languageWords;
/** `other`: not English, but no language of the table. */
export type Language = TableLanguage | 'en' | 'zh' | 'ar' | 'other';

export interface RecognizedLanguage {
  /** The most likely language. Undefined if no word is known. */
  readonly language: Language | undefined;
  /** False for texts that are too short to tell, and for names, emoji and code. */
  readonly isCertain: boolean;
}

export const tableLanguages = Object.keys(languageWords) as TableLanguage[];
/** The bit of a word that is frequent in English. The bit of another language is that of its number. */
const ENGLISH = 1 << tableLanguages.length;
/** The bit of a word of another language that some English texts contain. */
const RARE_ENGLISH = 2 * ENGLISH;
const ANY_ENGLISH = ENGLISH | RARE_ENGLISH;
const ZERO = 48;
/** Evidence of a word for a language if English texts contain the word too. Other words are 1. */
const SHARED_EVIDENCE = 0.4;
/** The same in a text without any word that only English has. */
const SHARED_ALONE_EVIDENCE = 0.7;
/** Without any word of its own, a language requires this number of shared words per word that only English has. */
const SHARED_PER_ENGLISH = 3;
/** Evidence of a word with a letter that English does not have. */
const LETTER_EVIDENCE = 0.7;
/** Words of a language, without those of English, from which it is certain. */
const OWN_WORDS_MIN = 2;
/** The same, in a text that may be code. */
const OWN_WORDS_IN_CODE_MIN = 4;
/** Words that only English has from which English is certain. */
const ENGLISH_WORDS_MIN = 3;
/** By how much the words of a language must exceed those of English. */
const LEAD_OVER_ENGLISH = 1.1;
/** One word of a language is enough in a text of this number of different words without any English word. */
const WORDS_WITHOUT_ENGLISH = 4;
/** The same for two words that English texts contain too. */
const SHARED_WORDS_WITHOUT_ENGLISH = 6;
/** A text of this number of different plain words without any frequent English word is not English. */
const PLAIN_WORDS_WITHOUT_ENGLISH = 10;
/** Letters of another alphabet from which a text is not English. A kaomoji has one or two. */
const OTHER_LETTERS_MIN = 3;

const { table, masks } = buildTable();

function buildTable() {
  const byWord = new Map<string, number>();
  const add = (word: string, mask: number): void => void byWord.set(word, (byWord.get(word) ?? 0) | mask);
  for (const word of englishWords) add(word, ENGLISH);
  for (const word of sharedWords.split(' ')) add(word, RARE_ENGLISH);
  tableLanguages.forEach((language, k) => {
    for (const word of languageWords[language].split(' ')) add(word, 1 << k);
    if (language in dangerWords)
      for (const word of listPlainWords(dangerWords[language as keyof typeof dangerWords])) add(word, 1 << k);
  });
  return {
    table: buildWordTable([...byWord.keys()].map(hashWord), 1),
    masks: Int32Array.from([0, ...byWord.values()]),
  };
}

/** Returns the words that statements of a danger consist of, except parts of patterns and short words. */
function listPlainWords({ roles }: DangerWords): readonly string[] {
  return Object.values(roles).flatMap((source) => source.match(/(?<![^|(: ])[a-z]{4,}(?![^|) ])/g) ?? []);
}

/** Returns the languages of a word as bits, by its hash as it is written. */
const readMask = (hash: number): number => masks[findNumber(table, hash)] ?? 0;

/**
 * Returns the languages that a text may contain, as bits: those with a word that English does not have, and in a text with
 * few words of English those with several words.
 */
export function listLanguages({ hashes, count }: Words): number {
  let [bits, english, once, twice] = [0, 0, 0, 0];
  for (let i = 0; i < count; i++) {
    const mask = readMask(hashes[i] ?? 0);
    if ((mask & ANY_ENGLISH) === 0) bits |= mask;
    else if (mask === ENGLISH) english++;
    twice |= once & mask;
    once |= mask;
  }
  return (english < 2 ? bits | twice : bits) & ~ANY_ENGLISH;
}

/**
 * Returns the language of words `from` … `to - 1` of a text. `letterShare` is the share of the words of the text with a
 * letter that English does not have, 0–1: see {@link readAlphabets}. Expects the words as they are written. Never throws.
 */
export function recognizeLanguage(words: Words, from: number, to: number, letterShare = 0): RecognizedLanguage {
  const plain = letterShare === 0 ? countPlainEnglish(words, from, to) : 0;
  if (plain > 0) return { language: 'en', isCertain: plain >= ENGLISH_WORDS_MIN };
  const counts = countWords(words, from, to);
  const evidence = weighWords(counts, letterShare * counts.all);
  const isCode = (words.marks & marks.code) !== 0;
  const isPlain = !isCode && !counts.hasDigit && (words.marks & marks.slash) === 0;
  return findOther(evidence, isCode) ?? findRest(evidence, isPlain);
}

/** Words of a text for its most likely language of the table, and against it. */
interface Evidence extends Pick<Counts, 'all' | 'english'> {
  /** Undefined without a word of any. */
  readonly language: TableLanguage | undefined;
  /** Weighted number of words for the language. */
  readonly sum: number;
  /** Words that English does not have, that English texts contain too, and of these those that are rare in English. */
  readonly own: number;
  readonly shared: number;
  readonly rare: number;
  /** Words that only English has. */
  readonly onlyEnglish: number;
  /** Words with a letter that English does not have. */
  readonly accented: number;
}

function weighWords({ all, english, ...counts }: Counts, accented: number): Evidence {
  let [best, most] = [-1, 0];
  counts.own.forEach((count, k) => {
    const isAlone = english === (counts.sharedEnglish[k] ?? 0);
    const evidence = count + (isAlone ? SHARED_ALONE_EVIDENCE : SHARED_EVIDENCE) * (counts.shared[k] ?? 0);
    if (evidence > most) [best, most] = [k, evidence];
  });
  const [own = 0, shared = 0, sharedEnglish = 0] = [counts.own, counts.shared, counts.sharedEnglish].map(
    (it) => it[best],
  );
  const sum = most + LETTER_EVIDENCE * accented;
  const language = tableLanguages[best];
  return {
    all,
    english,
    language,
    sum,
    own,
    shared,
    rare: shared - sharedEnglish,
    onlyEnglish: english - sharedEnglish,
    accented,
  };
}

/** Returns another language than English if its words exceed those of English. */
function findOther(it: Evidence, isCode: boolean): RecognizedLanguage | undefined {
  const { all, english, sum, own, shared, rare, onlyEnglish, accented } = it;
  const mayBeOther =
    own > 0 ||
    (accented >= OWN_WORDS_MIN && accented > english) ||
    (rare >= OWN_WORDS_MIN && SHARED_PER_ENGLISH * onlyEnglish <= shared);
  const isEnough = sum >= (isCode ? OWN_WORDS_IN_CODE_MIN : OWN_WORDS_MIN) && sum > LEAD_OVER_ENGLISH * onlyEnglish;
  if (!mayBeOther || !isEnough) return undefined;
  return { language: it.language ?? 'other', isCertain: all >= WORDS_WITHOUT_ENGLISH || own >= OWN_WORDS_MIN };
}

/** Returns the language of a text with too few words of another language. */
function findRest({ all, english, language, own, rare, onlyEnglish }: Evidence, isPlain: boolean): RecognizedLanguage {
  if (onlyEnglish === 0 && rare >= OWN_WORDS_MIN && all >= SHARED_WORDS_WITHOUT_ENGLISH && isPlain)
    return { language, isCertain: true };
  if (english > 0) return { language: 'en', isCertain: onlyEnglish >= ENGLISH_WORDS_MIN };
  if (own > 0) return { language, isCertain: all >= WORDS_WITHOUT_ENGLISH };
  const isOther = all >= PLAIN_WORDS_WITHOUT_ENGLISH && isPlain;
  return { language: isOther ? 'other' : undefined, isCertain: isOther };
}

/** Returns the number of words that only English has. 0 if another language has a word that is not frequent in English. */
function countPlainEnglish({ hashes }: Words, from: number, to: number): number {
  let count = 0;
  for (let i = from; i < to; i++) {
    const mask = readMask(hashes[i] ?? 0);
    if (mask === ENGLISH) count++;
    else if (mask !== 0 && (mask & ENGLISH) === 0) return 0;
  }
  return count;
}

/** Numbers of different words, so that a repeated word is no evidence of a language. */
interface Counts {
  /** All words without digits. */
  all: number;
  /** Frequent words of English. */
  english: number;
  hasDigit: boolean;
  /** Words of each language that English does not have. */
  readonly own: number[];
  /** Words of each language that English texts contain too. */
  readonly shared: number[];
  /** Those of them that are frequent in English. */
  readonly sharedEnglish: number[];
}

function countWords({ hashes, letters, starts }: Words, from: number, to: number): Counts {
  const zeros = () => new Array<number>(tableLanguages.length).fill(0);
  const counts: Counts = { all: 0, english: 0, hasDigit: false, own: zeros(), shared: zeros(), sharedEnglish: zeros() };
  const read = new Set<number>();
  for (let i = from; i < to; i++) {
    const hash = hashes[i] ?? 0;
    if (letters[starts[i] ?? 0] === ZERO) counts.hasDigit = true;
    else if (!read.has(hash)) {
      read.add(hash);
      addWord(counts, readMask(hash));
    }
  }
  counts.all = read.size;
  return counts;
}

function addWord(counts: Counts, mask: number): void {
  if (mask & ENGLISH) counts.english++;
  const list = mask & ANY_ENGLISH ? counts.shared : counts.own;
  for (let k = 0, rest = mask & ~ANY_ENGLISH; rest !== 0; k++, rest >>>= 1)
    if (rest & 1) {
      list[k] = (list[k] ?? 0) + 1;
      if (mask & ENGLISH) counts.sharedEnglish[k] = (counts.sharedEnglish[k] ?? 0) + 1;
    }
}

/** What the letters of a text say about its language. */
export interface Alphabets {
  /** The language if most letters are of another alphabet. `other` for an alphabet of several languages. */
  readonly language: 'zh' | 'hi' | 'ar' | 'other' | undefined;
  /** Share of the words in the Latin alphabet that have a letter which English does not have, 0–1. */
  readonly letterShare: number;
}

/** Returns the alphabets of a text. Linear in its length. Never throws. */
export function readAlphabets(text: string): Alphabets {
  const words = text.toLowerCase().match(/\p{L}[\p{L}\p{M}]*(?:['’]\p{L}+)*/gu) ?? [];
  const different = [...new Set(words)];
  const [latin, others] = [different.filter(isLatin), different.filter((word) => !isLatin(word))];
  const otherLetters = countLetters(others);
  const isOther = otherLetters >= OTHER_LETTERS_MIN && otherLetters > countLetters(latin);
  const accented = latin.filter((word) => /[^a-z'’]/.test(word) && !findNumber(table, hashWord(foldWord(word))));
  return {
    language: isOther ? nameAlphabet(others.join('')) : undefined,
    letterShare: accented.length / Math.max(1, latin.length),
  };
}

/** Returns the language of the most frequent alphabet. Japanese and Persian are `other`. */
function nameAlphabet(letters: string): Alphabets['language'] {
  const share = (pattern: RegExp) => (letters.match(pattern)?.length ?? 0) / letters.length;
  if (share(/\p{Script=Han}/gu) > 0.8) return 'zh';
  if (share(/[\p{Script=Devanagari}\p{M}]/gu) > 0.8) return 'hi';
  return share(/\p{Script=Arabic}/gu) > 0.8 && !/[پچژگک]/.test(letters) ? 'ar' : 'other';
}

/** Returns false for a word of another alphabet. Surrogates are letters in mathematical fonts or rare ideographs. */
function isLatin(word: string): boolean {
  const code = word.charCodeAt(0);
  return code < 0x250 || (code >= 0x1e00 && code < 0x1f00) || (code >= 0xd800 && code < 0xdc00);
}

function countLetters(words: readonly string[]): number {
  return words.reduce((count, word) => count + word.length, 0);
}

/** Returns a word without apostrophes and accents. */
function foldWord(word: string): string {
  if (/^[a-z]+$/.test(word)) return word;
  return word.normalize('NFD').replace(/['’\p{M}]/gu, '');
}
