/** Splits text into hashed words. Never stores a word as a string. Stores letters only until they are deleted. */

/**
 * The words of a text. Word i is `letters[starts[i]]` to `letters[ends[i] - 1]`. An edge mark precedes and follows each
 * word.
 */
export interface Words {
  count: number;
  /** FNV-1a hash of each word, 32 bits. Signed, because V8 stores larger numbers as slower heap numbers. */
  readonly hashes: Int32Array;
  readonly starts: Uint16Array;
  readonly ends: Uint16Array;
  /** Character codes: a–z, 48 for any digit, the edge mark between words. */
  readonly letters: Uint8Array;
  /** The sentences in order. */
  readonly sentences: Sentence[];
  /** Index of the word after each segment. A segment is one or more sentences, like a training row. */
  readonly segmentEnds: number[];
  /** The {@link marks} of the text, as bits. */
  marks: number;
  /** False if the text has other characters than those of ASCII. */
  isAscii: boolean;
}

/** Characters that tell a quoted, pasted or machine-written text from a message. */
export const marks = { quote: 1, slash: 2, code: 4, colon: 8, lineBreak: 16 } as const;

export interface Sentence {
  /** Words `from` … `to - 1` of the text. */
  readonly from: number;
  readonly to: number;
  readonly isQuestion: boolean;
}

export interface Tokenizer {
  /** Returns the words of a text. The next call overwrites them. Never throws. */
  read(text: string): Words;
  /** Deletes the letters of all texts that were read. */
  wipe(): void;
}

/** Maximum number of characters that are read per text. The interface allows 4,000. */
const TEXT_MAX = 4096;
/**
 * Maximum number of words that are read per text. 4,096 characters of English contain about 800. Bounds the time for "a
 * a a …".
 */
export const wordsMax = 1024;
/** A segment ends at the end of the sentence that reaches this number of words, about one training sentence. */
const SEGMENT_WORDS = 24;
/** Maximum number of words of a segment without full stops. */
export const segmentWordsMax = 48;
/** Number of letters that are read per word. No common English word is longer. */
export const wordLettersMax = 24;
const FNV_PRIME = 0x01000193;
/** Marks the beginning and end of a word, so that runs of letters at the edges are distinct. */
export const edgeMark = 95;

export const hashStart = 0x811c9dc5 | 0;
/** Continues an FNV-1a hash by one character code. Start from {@link hashStart}. */
export const hashNext = (hash: number, code: number): number => Math.imul(hash ^ code, FNV_PRIME);

/** Hash of a whole lower-case word, as the tokenizer computes it. */
export function hashWord(word: string): number {
  let hash = hashStart;
  for (let i = 0; i < word.length; i++) hash = hashNext(hash, word.charCodeAt(i));
  return hash;
}

/** Number of letters in a run. */
export const runLetters = 4;
const LETTER_BITS = 5;
const LETTER_MASK = 2 ** LETTER_BITS - 1;
const RUN_MASK = 2 ** (runLetters * LETTER_BITS) - 1;
/** Returns the run of letters that ends with `letter`, as one number. `run` is the run that ends before this letter. */
export const nextRun = (run: number, letter: number): number =>
  ((run << LETTER_BITS) | (letter & LETTER_MASK)) & RUN_MASK;

const STOP = 1;
const JOIN = 2;
const BREAK = 3;
const ZERO = 48;
const JOINER = 39;
const SPACE = 32;
const QUESTION_MARK = 63;
const RIGHT_QUOTE = 0x2019;
const DOUBLE_QUOTE = 34;
const FIRST_ACCENT = 0x300;
const LAST_ACCENT = 0x36f;

/** Kind of each ASCII character: its lower-case letter (0 for any digit), or STOP, JOIN or BREAK. */
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code).toLowerCase();
  if (/[a-z]/.test(character)) return character.charCodeAt(0);
  if (/\d/.test(character)) return ZERO;
  if (code === JOINER) return JOIN;
  return /[.!?;\n]/.test(character) ? STOP : BREAK;
});

/** The mark of each ASCII character, as a bit. 0 for a character without a mark. */
const markByCode = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[{}[\]=<>_`$\\|#]/.test(character)) return marks.code;
  return { '"': marks.quote, '/': marks.slash, ':': marks.colon, '\n': marks.lineBreak }[character] ?? 0;
});

/** Returns a tokenizer with memory for one text. */
export function createTokenizer(): Tokenizer {
  const words = newWords();
  /** The text in ASCII, followed by a space. */
  const codes = Buffer.alloc(3 * TEXT_MAX + 1);
  return {
    read(text) {
      const length = writeCodes(words, codes, text.slice(0, TEXT_MAX));
      cutWords(words, codes, length);
      codes.fill(0, 0, length);
      return words;
    },
    wipe() {
      words.letters.fill(edgeMark);
    },
  };
}

function newWords(): Words {
  const letters = new Uint8Array(2 * TEXT_MAX + 2);
  letters.fill(edgeMark);
  const [hashes, starts, ends] = [new Int32Array(wordsMax), new Uint16Array(wordsMax), new Uint16Array(wordsMax)];
  return { count: 0, hashes, starts, ends, letters, sentences: [], segmentEnds: [], marks: 0, isAscii: true };
}

function cutWords(words: Words, codes: Buffer, length: number): void {
  const { letters } = words;
  words.count = words.sentences.length = words.segmentEnds.length = words.marks = 0;
  let [start, at, hash] = [1, 1, hashStart];
  for (let i = 0; i <= length && words.count < wordsMax; i++) {
    const code = codes[i] ?? 0;
    const kind = kinds[code] ?? BREAK;
    if (kind > BREAK) {
      // Drops a third repetition, so that "soooo" and "soo" are one word, and a second digit: a number of any length is one word.
      const isRepeated = letters[at - 1] === kind && (kind === ZERO || letters[at - 2] === kind);
      if (isRepeated || at === start + wordLettersMax) continue;
      letters[at++] = kind;
      hash = hashNext(hash, kind);
    } else if (kind !== JOIN) {
      words.marks |= markByCode[code] ?? 0;
      if (at > start) {
        letters[at] = edgeMark;
        addWord(words, hash, start, at);
        start = ++at;
        hash = hashStart;
      }
      if (kind === STOP) endSentence(words, code === QUESTION_MARK);
      endSegment(words, kind === STOP ? SEGMENT_WORDS : segmentWordsMax);
    } else if (at === start) words.marks |= marks.quote;
  }
  endSentence(words, false);
  endSegment(words, 1);
}

/** Writes a text as ASCII. Drops accents. Other characters join or separate words. Returns the length. */
function writeCodes(words: Words, codes: Buffer, text: string): number {
  let length = codes.write(text);
  words.isAscii = length === text.length;
  if (!words.isAscii) {
    const plain = text.normalize('NFD').slice(0, TEXT_MAX);
    for (let i = 0; i < plain.length; i++) codes[i] = toAscii(plain.charCodeAt(i));
    codes.fill(0, plain.length, length);
    length = plain.length;
  }
  codes[length] = SPACE;
  return length;
}

function toAscii(code: number): number {
  if (code < kinds.length) return code;
  if (isDoubleQuote(code)) return DOUBLE_QUOTE;
  return code === RIGHT_QUOTE || (code >= FIRST_ACCENT && code <= LAST_ACCENT) ? JOINER : SPACE;
}

/** Returns true for “, ”, „, « and ». */
function isDoubleQuote(code: number): boolean {
  return (code >= 0x201c && code <= 0x201e) || code === 0xab || code === 0xbb;
}

function addWord(words: Words, hash: number, start: number, end: number): void {
  words.hashes[words.count] = hash;
  words.starts[words.count] = start;
  words.ends[words.count++] = end;
}

function endSentence({ sentences, count }: Words, isQuestion: boolean): void {
  const from = sentences.at(-1)?.to ?? 0;
  if (count > from) sentences.push({ from, to: count, isQuestion });
}

function endSegment({ segmentEnds, count }: Words, wordsMin: number): void {
  const begin = segmentEnds.length === 0 ? 0 : (segmentEnds[segmentEnds.length - 1] ?? 0);
  if (count - begin >= wordsMin) segmentEnds.push(count);
}
