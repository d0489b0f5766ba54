/** Splits text into hashed words; keeps no string of a word, and its letters only until they are wiped. */

/** The words of a text. Word i has the letters `starts[i]` … `ends[i] - 1`; an edge mark stands on either side. */
export interface Words {
  count: number;
  /** FNV-1a hash of each word, 32 bit; signed, because larger numbers make slow keys. */
  readonly hashes: Int32Array;
  readonly starts: Uint16Array;
  readonly ends: Uint16Array;
  /** Character codes: a–z, 0 for any digit, the edge mark between words. */
  readonly letters: Uint8Array;
  /** Where each segment ends: number of words up to there. A segment is a sentence or a few, as a training row is. */
  readonly segmentEnds: number[];
}

/** Characters read of one text; the interface allows 4,096. */
const TEXT_MAX = 4096;
/** Words read of one text; 4,096 characters of English have some 800. Keeps "a a a …" within the time. */
export const wordsMax = 1024;
/** A segment ends with the sentence once it has this many words: about one training sentence. */
const SEGMENT_WORDS = 24;
/** Text without full stops is cut here. */
export const segmentWordsMax = 48;
/** No English word is longer. */
export const wordLettersMax = 24;
const FNV_PRIME = 0x01000193;
/** Stands before and after a word, so that its beginning and end differ from its middle. */
export const edgeMark = 95;

export const hashStart = 0x811c9dc5 | 0;
/** Continues an FNV-1a hash by one character code. Start from {@link hashStart}. */
export const hashNext = (hash: number, code: number): number => Math.imul(hash ^ code, FNV_PRIME);

/** Hash of a whole lower-case word, as {@link readWords} computes it. */
export function hashWord(word: string): number {
  let hash = hashStart;
  for (let i = 0; i < word.length; i++) hash = hashNext(hash, word.charCodeAt(i));
  return hash;
}

/**
 * Cuts a text into hashed words and segments, written over those of the text before where `words` are given. Never
 * throws; text without Latin letters or digits gives none.
 */
export function readWords(text: string, words: Words = newWords()): Words {
  const plain = foldText(text);
  words.count = words.segmentEnds.length = 0;
  let at = 1;
  let start = 1;
  for (let i = 0; i <= plain.length && words.count < wordsMax; i++) {
    const kind = i < plain.length ? kindOf(plain.charCodeAt(i)) : BREAK;
    if (kind > BREAK) {
      // "soooo" and "soo" are one word: a third repetition is dropped.
      const isThird = at >= start + 2 && words.letters[at - 1] === kind && words.letters[at - 2] === kind;
      if (!isThird && at < start + wordLettersMax) words.letters[at++] = kind;
    } else if (kind !== JOIN) {
      if (at > start) start = at = closeWord(words, start, at);
      endSegment(words, kind === STOP ? SEGMENT_WORDS : segmentWordsMax);
    }
  }
  endSegment(words, 1);
  return words;
}

/** Room for the words of any text. */
export function newWords(): Words {
  const letters = new Uint8Array(2 * TEXT_MAX + 2);
  letters[0] = edgeMark;
  return {
    count: 0,
    hashes: new Int32Array(wordsMax),
    starts: new Uint16Array(wordsMax),
    ends: new Uint16Array(wordsMax),
    letters,
    segmentEnds: [],
  };
}

/** Forgets what the text said, where its words are kept for the next one's. */
export function wipeLetters({ letters, ends, count }: Words): void {
  letters.fill(edgeMark, 1, (ends[count - 1] ?? 0) + 1 + wordLettersMax);
}

/** Lower case, accents split off, where there are any; plain ASCII skips the costly step. */
function foldText(text: string): string {
  const head = text.slice(0, TEXT_MAX).toLowerCase();

  return /^[\x00-\x7f]*$/.test(head) ? head : head.normalize('NFD').slice(0, TEXT_MAX);
}

const STOP = 1;
const JOIN = 2;
const BREAK = 3;
const ZERO = 48;
const RIGHT_QUOTE = 0x2019;
const FIRST_ACCENT = 0x300;
const LAST_ACCENT = 0x36f;

/** What each ASCII character does: its letter code (digits all count as 0), or ends a sentence, joins or parts words. */
const asciiKinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z]/.test(character)) return code;
  if (/\d/.test(character)) return ZERO;
  if (character === "'") return JOIN;
  return /[.!?;\n]/.test(character) ? STOP : BREAK;
});

function kindOf(code: number): number {
  if (code < asciiKinds.length) return asciiKinds[code] as number;
  return code === RIGHT_QUOTE || (code >= FIRST_ACCENT && code <= LAST_ACCENT) ? JOIN : BREAK;
}

/** Takes the letters as the next word; returns where the word after it starts. */
function closeWord(words: Words, start: number, end: number): number {
  let hash = hashStart;
  for (let i = start; i < end; i++) hash = hashNext(hash, words.letters[i] as number);
  words.letters[end] = edgeMark;
  words.hashes[words.count] = hash;
  words.starts[words.count] = start;
  words.ends[words.count++] = end;
  return end + 1;
}

function endSegment(words: Words, wordsMin: number): void {
  if (words.count - (words.segmentEnds.at(-1) ?? 0) >= wordsMin) words.segmentEnds.push(words.count);
}
