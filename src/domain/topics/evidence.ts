import { topicExtraction as settings } from '../../../generated/spec.js';
import { areas, topicNames } from './vocabulary.js';

/** What a session has been about so far: numbers only, under 1 KB as JSON. Keep it between turns as it is. */
export interface TopicEvidence {
  /** For each area, in the vocabulary's order: turns about it, earlier ones decayed. */
  readonly areas: readonly number[];
  /** For each topic, in the vocabulary's order: points of its phrases, earlier ones decayed. */
  readonly topics: readonly number[];
}

/** Two decimals keep it small; rounding down lets old evidence fade to nothing. */
const PRECISION = 100;
/** Bounds what one turn or a forged value can weigh; the decayed sum of whole turns stays under it. */
const WEIGHT_MAX = 9;

const none: TopicEvidence = { areas: areas.map(() => 0), topics: topicNames.map(() => 0) };

/** Evidence as kept by the caller; an absent, damaged or outdated one counts as none. */
export function readEvidence(evidence: TopicEvidence | undefined): TopicEvidence {
  const fits = isList(evidence?.areas, areas.length) && isList(evidence?.topics, topicNames.length);
  return fits && evidence !== undefined ? evidence : none;
}

const isList = (values: unknown, length: number): boolean =>
  Array.isArray(values) && values.length === length && values.every((value) => Number.isFinite(value) && value >= 0);

const keptATurn = 0.5 ** (1 / settings.evidence_half_life_turns);

/** One turn later: everything weighs a little less. */
export const decayEvidence = (evidence: TopicEvidence): TopicEvidence =>
  mapEvidence(evidence, (value) => value * keptATurn);

/** Rounded and bounded, for keeping. */
export const writeEvidence = (evidence: TopicEvidence): TopicEvidence =>
  mapEvidence(evidence, (value) => Math.min(WEIGHT_MAX, Math.floor(value * PRECISION) / PRECISION));

// A share no better than an even guess says nothing.
const evenShare = 1 / (areas.length + 1);

/** Adds a text's shares of the areas and points of the topics, by their number, weighed. */
export function addEvidence(
  evidence: TopicEvidence,
  weight: number,
  shares: readonly number[],
  points: ReadonlyMap<number, number>,
): TopicEvidence {
  const topics = [...evidence.topics];
  for (const [topic, more] of points) topics[topic] = (topics[topic] ?? 0) + weight * more;
  return {
    areas: evidence.areas.map((value, k) => value + weight * Math.max(0, (shares[k] ?? 0) - evenShare)),
    topics,
  };
}

/** What the session adds to each area's log odds. */
export const leaningsOf = (evidence: TopicEvidence): number[] =>
  evidence.areas.map((turns) => Math.log1p(turns / settings.evidence_doubling_turns));

const mapEvidence = (evidence: TopicEvidence, change: (value: number) => number): TopicEvidence => ({
  areas: evidence.areas.map(change),
  topics: evidence.topics.map(change),
});
