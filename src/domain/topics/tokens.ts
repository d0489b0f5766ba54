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
  const length = writeCodes(text.slice(0, TEXT_MAX));
  const { letters } = words;
  words.count = words.segmentEnds.length = 0;
  let start = 1;
  let at = 1;
  let hash = hashStart;
  for (let i = 0; i <= length && words.count < wordsMax; i++) {
    const kind = kinds[codes[i] as number] as number;
    if (kind > BREAK) {
      // "soooo" and "soo" are one word: a third repetition is dropped.
      const isThird = letters[at - 1] === kind && letters[at - 2] === kind;
      if (isThird || at === start + wordLettersMax) continue;
      letters[at++] = kind;
      hash = hashNext(hash, kind);
    } else if (kind !== JOIN) {
      if (at > start) {
        letters[at] = edgeMark;
        addWord(words, hash, start, at);
        start = ++at;
        hash = hashStart;
      }
      endSegment(words, kind === STOP ? SEGMENT_WORDS : segmentWordsMax);
    }
  }
  endSegment(words, 1);
  codes.fill(0, 0, length);
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

const STOP = 1;
const JOIN = 2;
const BREAK = 3;
const ZERO = 48;
const JOINER = "'";
const PARTER = 32;
const RIGHT_QUOTE = 0x2019;
const FIRST_ACCENT = 0x300;
const LAST_ACCENT = 0x36f;

/** What each ASCII character does: its lower-case letter (digits all count as 0), or ends a sentence, joins or parts words. */
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code).toLowerCase();
  if (/[a-z]/.test(character)) return character.charCodeAt(0);
  if (/\d/.test(character)) return ZERO;
  if (character === JOINER) return JOIN;
  return /[.!?;\n]/.test(character) ? STOP : BREAK;
});

/** Scratch: the text under way in ASCII, and a character that parts words behind it. */
const codes = Buffer.alloc(3 * TEXT_MAX + 1);

/** Writes a text as ASCII: accents are split off, and what then is none joins or parts words. Returns its length. */
function writeCodes(text: string): number {
  const length = codes.write(text);
  if (length === text.length) return close(length);
  const plain = text.normalize('NFD').slice(0, TEXT_MAX);
  for (let i = 0; i < plain.length; i++) codes[i] = asciiOf(plain.charCodeAt(i));
  codes.fill(0, plain.length, length);
  return close(plain.length);
}

function close(length: number): number {
  codes[length] = PARTER;
  return length;
}

function asciiOf(code: number): number {
  if (code < kinds.length) return code;
  return code === RIGHT_QUOTE || (code >= FIRST_ACCENT && code <= LAST_ACCENT) ? JOINER.charCodeAt(0) : PARTER;
}

function addWord(words: Words, hash: number, start: number, end: number): void {
  words.hashes[words.count] = hash;
  words.starts[words.count] = start;
  words.ends[words.count++] = end;
}

function endSegment(words: Words, wordsMin: number): void {
  const { segmentEnds, count } = words;
  const begin = segmentEnds.length === 0 ? 0 : (segmentEnds[segmentEnds.length - 1] as number);
  if (count - begin >= wordsMin) segmentEnds.push(count);
}
