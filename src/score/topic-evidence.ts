import { topicExtraction as settings } from '../../generated/spec.js';
import type { TextAnalysis } from '../../packages/text/analyzer.js';
import { areas, type Area, topicNames, type TopicName } from '../../packages/text/vocabulary.js';

/**
 * Topic evidence of a session, as stored between turns: numbers by topic and area name. Plain JSON, two decimals,
 * without zeros.
 */
export interface TopicEvidence {
  /** Version of the model that analyzed the turns. */
  readonly model: number;
  /** Number of turns about each area. Older turns have decayed. */
  readonly areas: Partial<Readonly<Record<Area, number>>>;
  /** Phrase points of each topic. The points of older turns have decayed. */
  readonly topics: Partial<Readonly<Record<TopicName, number>>>;
}

/** Topic evidence for computation, by area number and topic number. */
export interface Evidence {
  readonly areas: number[];
  readonly topics: Map<number, number>;
}

/** Rounding factor: two decimals, which keep the row small. Rounding down lets old evidence reach zero. */
const PRECISION = 100;
/** Maximum of a stored value, so that a forged value has limited weight. The decayed sum of turns is always lower. */
const WEIGHT_MAX = 9;

const numberOfTopic: ReadonlyMap<string, number> = new Map(topicNames.map((name, number) => [name, number]));
const keptPerTurn = 0.5 ** (1 / settings.evidence_half_life_turns);

/**
 * Returns the evidence with the decay of one turn. Ignores evidence of other model versions, and names that are not in
 * the vocabulary.
 */
export function decayEvidence(kept: TopicEvidence | undefined, model: number): Evidence {
  const topics = new Map<number, number>();
  if (kept?.model !== model) return { areas: areas.map(() => 0), topics };
  for (const [name, points] of Object.entries(kept.topics ?? {})) {
    const number = numberOfTopic.get(name);
    if (number !== undefined) topics.set(number, keptPerTurn * bound(points));
  }
  return { areas: areas.map((area) => keptPerTurn * bound(kept.areas?.[area])), topics };
}

/** Converts evidence to its stored form, rounded and bounded. */
export function storeEvidence({ areas: turns, topics }: Evidence, model: number): TopicEvidence {
  const stored = { model, areas: {} as Record<string, number>, topics: {} as Record<string, number> };
  areas.forEach((area, k) => storeValue(stored.areas, area, turns[k] ?? 0));
  for (const [number, points] of topics) storeValue(stored.topics, topicNames[number] ?? '', points);
  return stored;
}

function storeValue(values: Record<string, number>, name: string, value: number): void {
  const rounded = Math.floor(bound(value) * PRECISION) / PRECISION;
  if (rounded > 0) values[name] = rounded;
}

/** Share of an even distribution. A share of at most this value is not evidence. */
const evenShare = 1 / (areas.length + 1);

/** Adds a text's shares of the areas and its {@link TextAnalysis.points} of the topics, multiplied by `weight`. */
export function addEvidence(
  { areas, topics }: Evidence,
  weight: number,
  shares: readonly number[],
  points: TextAnalysis['points'],
): void {
  for (const [number, more] of points) topics.set(number, (topics.get(number) ?? 0) + weight * more);
  shares.forEach((share, k) => (areas[k] = (areas[k] ?? 0) + weight * Math.max(0, share - evenShare)));
}

/** Returns the factors by which the session's evidence multiplies the odds of each area. */
export const leaningsOf = ({ areas }: Evidence): number[] =>
  areas.map((turns) => 1 + turns / settings.evidence_doubling_turns);

const bound = (value: unknown): number => (typeof value === 'number' && value > 0 ? Math.min(WEIGHT_MAX, value) : 0);
