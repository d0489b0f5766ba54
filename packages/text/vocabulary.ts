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
