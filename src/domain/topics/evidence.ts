import { topicExtraction as settings } from '../../../generated/spec.js';
import { areas, topicNames } from './vocabulary.js';

/**
 * What a session has been about so far, for keeping between turns: numbers only, as the digits of base 64, two for each
 * area and each topic. It is written with every turn, and one text is quicker to write and to copy than lists of numbers.
 */
export type TopicEvidence = string;

/** The same, for counting with. */
export interface Evidence {
  /** For each area, in the vocabulary's order: turns about it, earlier ones decayed. */
  readonly areas: number[];
  /** For each topic, in the vocabulary's order: points of its phrases, earlier ones decayed. */
  readonly topics: number[];
}

/** Two decimals keep it small; rounding down lets old evidence fade to nothing. */
const PRECISION = 100;
/** Bounds what one turn or a forged value can weigh; the decayed sum of whole turns stays under it. */
const WEIGHT_MAX = 9;

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-';
const BASE = DIGITS.length;
const codeOf = Buffer.from(DIGITS);
const digitOf = new Uint8Array(128);
codeOf.forEach((code, digit) => (digitOf[code] = digit));

const count = areas.length + topicNames.length;
/** Scratch, for one to be written over the last. */
const codes = Buffer.alloc(2 * count);
const form = new RegExp(`^[${DIGITS}]{${codes.length}}$`);
const none = DIGITS.charAt(0).repeat(codes.length);

/** An absent, damaged or outdated one counts as none. */
export function readEvidence(kept: TopicEvidence | undefined): Evidence {
  const text = kept !== undefined && form.test(kept) ? kept : none;
  return {
    areas: areas.map((_, k) => valueAt(text, k)),
    topics: topicNames.map((_, number) => valueAt(text, areas.length + number)),
  };
}

/** Rounded and bounded. */
export function writeEvidence(evidence: Evidence): TopicEvidence {
  evidence.areas.forEach(writeAt);
  evidence.topics.forEach((value, number) => writeAt(value, areas.length + number));
  return codes.toString('latin1');
}

const keptATurn = 0.5 ** (1 / settings.evidence_half_life_turns);

/** One turn later: everything weighs a little less. */
export function decayEvidence({ areas, topics }: Evidence): void {
  for (const values of [areas, topics])
    for (let i = 0; i < values.length; i++) values[i] = (values[i] as number) * keptATurn;
}

// A share no better than an even guess says nothing.
const evenShare = 1 / (areas.length + 1);

/** Adds a text's shares of the areas and points of the topics, by their number, weighed. */
export function addEvidence(
  { areas, topics }: Evidence,
  weight: number,
  shares: readonly number[],
  points: ReadonlyMap<number, number>,
): void {
  for (const [topic, more] of points) topics[topic] = (topics[topic] ?? 0) + weight * more;
  for (let k = 0; k < areas.length; k++)
    areas[k] = (areas[k] as number) + weight * Math.max(0, (shares[k] ?? 0) - evenShare);
}

/** What the session adds to each area's log odds. */
export const leaningsOf = ({ areas }: Evidence): number[] =>
  areas.map((turns) => Math.log1p(turns / settings.evidence_doubling_turns));

function valueAt(text: TopicEvidence, index: number): number {
  const [high, low] = [digitOf[text.charCodeAt(2 * index)], digitOf[text.charCodeAt(2 * index + 1)]];
  return Math.min(WEIGHT_MAX, ((high as number) * BASE + (low as number)) / PRECISION);
}

function writeAt(value: number, index: number): void {
  const steps = Math.floor(Math.min(WEIGHT_MAX, value) * PRECISION);
  codes[2 * index] = codeOf[Math.floor(steps / BASE)] as number;
  codes[2 * index + 1] = codeOf[steps % BASE] as number;
}
