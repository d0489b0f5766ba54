import { topicExtraction as settings } from '../../../generated/spec.js';
import type { Reading } from './reading.js';
import { areas, topicNames } from './vocabulary.js';

/**
 * What a session has been about so far, for keeping between turns: numbers only, as the digits of base 64, two for each
 * area and each topic. It is written with every turn, and one text is quicker to write and to copy than lists of numbers.
 */
export type TopicEvidence = string;

/** The same, for counting with. */
export interface Evidence {
  /** For each area, in the vocabulary's order: turns about it, earlier ones decayed. */
  readonly areas: Float64Array;
  /** For each topic, in the vocabulary's order: points of its phrases, earlier ones decayed. */
  readonly topics: Float64Array;
}

export function newEvidence(): Evidence {
  return { areas: new Float64Array(areas.length), topics: new Float64Array(topicNames.length) };
}

/** Two decimals keep it small; rounding down lets old evidence fade to nothing. */
const PRECISION = 100;
/** Bounds what one turn or a forged value can weigh; the decayed sum of whole turns stays under it. */
const WEIGHT_MAX = 9;

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-';
const BASE = DIGITS.length;
const codeOf = Buffer.from(DIGITS);
/** Of other codes it is the base, which is none. */
const digitOf = new Uint8Array(256).fill(BASE);
codeOf.forEach((code, digit) => (digitOf[code] = digit));

/** Scratch, for one to be written over the last. */
const codes = Buffer.alloc(2 * (areas.length + topicNames.length));

/** Over the one before, where it is given. An absent, damaged or outdated one counts as none. */
export function readEvidence(kept: TopicEvidence | undefined, evidence: Evidence = newEvidence()): Evidence {
  const { areas, topics } = evidence;
  if (!fillCodes(kept)) {
    areas.fill(0);
    topics.fill(0);
    return evidence;
  }
  for (let k = 0; k < areas.length; k++) areas[k] = valueAt(k);
  for (let number = 0; number < topics.length; number++) topics[number] = valueAt(areas.length + number);
  return evidence;
}

/** Rounded and bounded. */
export function writeEvidence({ areas, topics }: Evidence): TopicEvidence {
  for (let k = 0; k < areas.length; k++) writeAt(k, areas[k] as number);
  for (let number = 0; number < topics.length; number++) writeAt(areas.length + number, topics[number] as number);
  return codes.toString('latin1');
}

const keptATurn = 0.5 ** (1 / settings.evidence_half_life_turns);

/** One turn later: everything weighs a little less. */
export function decayEvidence({ areas, topics }: Evidence): void {
  for (let k = 0; k < areas.length; k++) areas[k] = (areas[k] as number) * keptATurn;
  for (let number = 0; number < topics.length; number++) topics[number] = (topics[number] as number) * keptATurn;
}

// A share no better than an even guess says nothing.
const evenShare = 1 / (areas.length + 1);

/** Adds a text's shares of the areas and {@link Reading.points} of the topics, weighed. */
export function addEvidence(
  { areas, topics }: Evidence,
  weight: number,
  shares: readonly number[],
  points: Reading['points'],
): void {
  for (let at = 0; at < points.length; at += 2) {
    const number = points[at] as number;
    topics[number] = (topics[number] as number) + weight * (points[at + 1] as number);
  }
  for (let k = 0; k < areas.length; k++)
    areas[k] = (areas[k] as number) + weight * Math.max(0, (shares[k] as number) - evenShare);
}

/** By what the session multiplies each area's odds. */
export function leaningsOf({ areas }: Evidence): number[] {
  const leanings: number[] = [];
  for (let k = 0; k < areas.length; k++) leanings.push(1 + (areas[k] as number) / settings.evidence_doubling_turns);
  return leanings;
}

/** Whether it is one that was written. */
function fillCodes(kept: TopicEvidence | undefined): boolean {
  if (typeof kept !== 'string' || kept.length !== codes.length) return false;
  codes.write(kept, 'latin1');
  let isOdd = 0;
  for (let i = 0; i < codes.length; i++) isOdd |= (digitOf[codes[i] as number] as number) & BASE;
  return isOdd === 0;
}

function valueAt(index: number): number {
  const high = digitOf[codes[2 * index] as number] as number;
  const low = digitOf[codes[2 * index + 1] as number] as number;
  return Math.min(WEIGHT_MAX, (high * BASE + low) / PRECISION);
}

function writeAt(index: number, value: number): void {
  const steps = Math.floor(Math.min(WEIGHT_MAX, value) * PRECISION);
  codes[2 * index] = codeOf[Math.floor(steps / BASE)] as number;
  codes[2 * index + 1] = codeOf[steps % BASE] as number;
}
