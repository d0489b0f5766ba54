import { topics as topicsByArea } from '../../generated/spec.js';

/** Topics by area. The first topic of each area is its general topic. */
export { topicsByArea };

export type Area = keyof typeof topicsByArea;
export type TopicName = (typeof topicsByArea)[Area][number];

export const areas = Object.keys(topicsByArea) as Area[];

/** All topics, area by area. A topic's number is its index in this list. */
export const topicNames: readonly TopicName[] = areas.flatMap((area): readonly TopicName[] => topicsByArea[area]);

/** Area of each topic. */
export const areaOfTopic: ReadonlyMap<TopicName, Area> = new Map(
  areas.flatMap((area) => topicsByArea[area].map((topic) => [topic, area] as const)),
);

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
