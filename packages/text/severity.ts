import { textSentiment as settings } from './settings.js';
import type { BucketList } from './concern.js';
import { createTokenizer, hashNext, hashStart, nextRun, runLetters, type Words } from './tokens.js';
import { decodeWeights, type FamilyWeights, computeFingerprint } from './weights.js';

/**
 * Hashed features of a message: `words` (single words and pairs of adjacent words of a sentence) and `runs` (four
 * adjacent letters of a word, including its edges). Runs cover typos and forms of a word.
 */
export interface SeverityFeatures {
  readonly words: BucketList;
  readonly runs: BucketList;
}

/** The model of severity. It contains no text. It is immutable, so that one instance can be shared. */
interface SeverityModel {
  readonly bias: number;
  /** By bucket: squared rarity, then rarity × weight. */
  readonly words: Float32Array;
  readonly runs: Float32Array;
}

/** Each family has 2^bits buckets. */
export const severityBits = 16;
const BUCKETS_MAX = 8192;
const SEED_PAIR = 0x9e3779b1;
const SEED_MIX = 0xc2b2ae35;

/** Returns a function that lists the features of a message. Each call overwrites the result of the previous call. */
export function createSeverityFeatures(): (text: Words) => SeverityFeatures {
  const newList = (): BucketList => ({ length: 0, buckets: new Uint16Array(BUCKETS_MAX) });
  const [words, runs] = [newList(), newList()];
  return (text) => {
    words.length = runs.length = 0;
    for (const { from, to } of text.sentences) {
      let before = 0;
      for (let i = from; i < to; i++) {
        const hash = text.hashes[i] ?? 0;
        push(words, hash);
        push(words, Math.imul(before, SEED_PAIR) ^ hash);
        pushRuns(runs, text, i);
        before = hash;
      }
      push(words, Math.imul(before, SEED_PAIR));
    }
    return { words, runs };
  };
}

function pushRuns(runs: BucketList, { letters, starts, ends }: Words, i: number): void {
  const start = (starts[i] ?? 0) - 1;
  const end = ends[i] ?? 0;
  let run = 0;
  for (let at = start; at <= end; at++) {
    run = nextRun(run, letters[at] ?? 0);
    if (at >= start + runLetters - 1) push(runs, Math.imul(run, SEED_PAIR));
  }
}

function push(list: BucketList, hash: number): void {
  if (list.length === list.buckets.length) return;
  list.buckets[list.length++] = Math.imul(hash ^ (hash >>> 15), SEED_MIX) >>> (32 - severityBits);
}

/** A text whose features show a change of the tokenizer or of the features. */
const PROBE = "I can’t sleep… it's 3am, sooo WORRIED about the café?\nHelp me!";

/** Returns a hash of the features of a probe, so that weights of other features are rejected. */
export function fingerprintFeatures(): number {
  const { words, runs } = createSeverityFeatures()(createTokenizer().read(PROBE));
  const buckets = [words, runs].flatMap(({ buckets, length }) => [...buckets.subarray(0, length)]);
  return buckets.reduce(hashNext, hashStart) >>> 0;
}

/**
 * Returns a function that builds the model at its first call and then returns the same model. Throws if the bytes are
 * weights of other features.
 */
export function openSeverityModel(bytes: Uint8Array): () => SeverityModel {
  if (computeFingerprint(bytes) !== fingerprintFeatures())
    throw new Error('severity weights were trained with other features: run train:severity');
  let model: SeverityModel | undefined;
  return () => (model ??= buildModel(bytes));
}

function buildModel(bytes: Uint8Array): SeverityModel {
  // The file has the format of the topic weights, without a model of areas.
  const { biases, families } = decodeWeights(bytes).concern;
  const [words, runs] = families.map(toTable);
  if (biases[0] === undefined || !words || !runs)
    throw new Error('severity weights are incomplete: run train:severity');
  return { bias: biases[0], words, runs };
}

function toTable({ bits, buckets, rarities, weights }: FamilyWeights): Float32Array {
  const table = new Float32Array(2 * 2 ** bits);
  buckets.forEach((bucket, i) => {
    const rarity = rarities[i] ?? 0;
    table[2 * bucket] = rarity * rarity;
    table[2 * bucket + 1] = rarity * (weights[i] ?? 0);
  });
  return table;
}

/**
 * Returns a function that estimates how severe the distress of a message is, as log odds: below 0 for most messages.
 * Undefined for a message without a known word. Keeps no text beyond the call. Each thread requires only one.
 */
export function createSeverityAnalyzer({ bias, words, runs }: SeverityModel): (text: string) => number | undefined {
  const tokenizer = createTokenizer();
  const listFeatures = createSeverityFeatures();
  return (text) => {
    const features = listFeatures(tokenizer.read(text));
    tokenizer.wipe();
    const score = scoreFamily(words, features.words);
    return score === undefined ? undefined : bias + score + (scoreFamily(runs, features.runs) ?? 0);
  };
}

/** Returns the score of one family, scaled to unit length, so that long texts do not count more. */
function scoreFamily(weights: Float32Array, { length, buckets }: BucketList): number | undefined {
  let [squares, sum] = [0, 0];
  for (let i = 0; i < length; i++) {
    const at = 2 * (buckets[i] ?? 0);
    squares += weights[at] ?? 0;
    sum += weights[at + 1] ?? 0;
  }
  return squares > 0 ? sum / Math.sqrt(squares) : undefined;
}

/** Returns the estimated sentiment of a message, −1 to 0. Undefined for a message without a known word. */
export type EstimateSentiment = (text: string) => number | undefined;

/**
 * Returns a function that estimates sentiments. It keeps no text, and calls `model` for the first text. Each thread
 * requires only one.
 */
export function createSentimentEstimator(model: () => SeverityModel): EstimateSentiment {
  let analyze: ReturnType<typeof createSeverityAnalyzer> | undefined;
  return (text) => {
    analyze ??= createSeverityAnalyzer(model());
    const severity = analyze(text);
    return severity === undefined ? undefined : toSentiment(severity);
  };
}

/** Converts log odds of severe distress to a sentiment, 0 (neutral) to `sentiment_min`. */
export function toSentiment(severity: number): number {
  const { neutral_log_odds, distress_log_odds, distress_sentiment, severe_log_odds, sentiment_min } = settings;
  const share = Math.max(0, (severity - neutral_log_odds) / (distress_log_odds - neutral_log_odds));
  const rest = Math.exp(Math.min(0, distress_log_odds - severity) / severe_log_odds);
  const sentiment = share < 1 ? share * distress_sentiment : sentiment_min + rest * (distress_sentiment - sentiment_min);
  // Adds 0, because a rounded small negative number is -0.
  return Math.round(sentiment * 100) / 100 + 0;
}
