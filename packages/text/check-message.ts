import type { components } from '../../generated/api.js';
import { textAnalysis as texts } from './settings.js';
import { englishWords, foreignWords } from './language-words.js';
import type { SafetyKind } from './safety.js';
import { buildWordTable, findNumber } from './tables.js';
import { hashWord, marks, type Words } from './tokens.js';

/** Result of checking a user message. It belongs to the response only: no part of it is stored, logged or delivered. */
export interface MessageCheck {
  /** True if the message is not in English. It is then not analyzed. */
  readonly isForeign: boolean;
  /** Danger to the user that the message may describe. Absent if none is found. */
  readonly danger?: SafetyKind;
  /** Which checks answered. Absent if no external check was asked. */
  readonly source?: components['schemas']['SafetySource'];
}

/** Returns the fields of a response that describe the check. None if the reading has no message that was checked. */
export function describeCheck({
  isForeign,
  danger,
  source,
}: MessageCheck): Pick<components['schemas']['StateReading'], 'text_analysis' | 'safety' | 'safety_source'> {
  const detail = source ? texts.external_language_detail : texts.unsupported_language_detail;
  return {
    text_analysis: isForeign ? { status: 'unsupported_language', detail } : { status: 'analyzed' },
    ...(danger && { safety: { kind: danger, guidance: texts.safety_guidance[danger] } }),
    ...(source && { safety_source: source }),
  };
}

/** Number of each known word by its hash: first the English words, then those of other languages. */
const table = buildWordTable([...englishWords, ...foreignWords].map(hashWord), 1);
/** Maximum number of characters and words that are read. A language shows in the first sentences. */
const TEXT_MAX = 600;
const WORDS_MAX = 120;
/** Letters of another alphabet from which a text is not English. A kaomoji has one or two. */
const OTHER_LETTERS_MIN = 3;
/** A message of this number of different words without a frequent English word is not English if one word is foreign. */
const WORDS_WITHOUT_ENGLISH = 4;
/** A message of this number of different plain words without any frequent English word is not English. */
const PLAIN_WORDS_WITHOUT_ENGLISH = 10;
/** Evidence of an unknown word with a letter that English does not have. */
const FOREIGN_LETTER_EVIDENCE = 0.5;
const ZERO = 48;

/**
 * Returns true if a text is clearly not English. Returns false for English, for texts that are too short to tell, and for
 * names, emoji and code. `words` are the words of the text as they are written. Never throws.
 */
export function isForeign(text: string, words: Words): boolean {
  return words.isAscii ? areForeign(words) : hasForeignLetters(text.slice(0, TEXT_MAX));
}

function areForeign({ hashes, letters, starts, marks: found, count }: Words): boolean {
  let [english, foreign, hasDigit] = [0, 0, false];
  const read = new Set<number>();
  for (let i = 0; i < count && i < WORDS_MAX; i++) {
    const hash = hashes[i] ?? 0;
    if (letters[starts[i] ?? 0] === ZERO) {
      hasDigit = true;
      continue;
    }
    if (read.has(hash)) continue;
    read.add(hash);
    const number = findNumber(table, hash);
    if (number > englishWords.length) foreign++;
    else if (number > 0) english++;
  }
  return decide({ all: read.size, english, foreign, isPlain: !hasDigit && (found & (marks.code | marks.slash)) === 0 });
}

/** Numbers of different words, so that a repeated word is no evidence of a language. */
interface Counts {
  readonly all: number;
  readonly english: number;
  readonly foreign: number;
  /** False for a text that may be code or a list of numbers. */
  readonly isPlain: boolean;
}

function decide({ all, english, foreign, isPlain }: Counts): boolean {
  if (foreign >= 2 && foreign > english) return true;
  if (english > 0) return false;
  if (foreign > 0) return all >= WORDS_WITHOUT_ENGLISH;
  return all >= PLAIN_WORDS_WITHOUT_ENGLISH && isPlain;
}

function hasForeignLetters(text: string): boolean {
  const words = [...new Set(readWords(text))];
  const otherLetters = countLetters(words.filter((word) => !isLatin(word)));
  if (otherLetters > 0 && otherLetters > countLetters(words) - otherLetters) return otherLetters >= OTHER_LETTERS_MIN;
  let [english, foreign] = [0, 0];
  for (const word of words) {
    const number = findNumber(table, hashWord(foldWord(word)));
    if (number > englishWords.length) foreign += 1;
    else if (number > 0) english += 1;
    else if (/[^a-z'’]/.test(word)) foreign += FOREIGN_LETTER_EVIDENCE;
  }
  return decide({ all: words.length, english, foreign, isPlain: !/[{}<>=_/\\|\d]/.test(text) });
}

/** Returns the words in lower case without apostrophes. */
function readWords(text: string): string[] {
  return text.toLowerCase().match(/\p{L}[\p{L}\p{M}]*(?:['’]\p{L}+)*/gu) ?? [];
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
