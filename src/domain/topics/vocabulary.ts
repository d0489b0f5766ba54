import { topics as topicsByArea } from '../../../generated/spec.js';

export { topicsByArea };

export type Area = keyof typeof topicsByArea;
export type TopicName = (typeof topicsByArea)[Area][number];

export const areas = Object.keys(topicsByArea) as Area[];

/** The area's topic for what no specific topic fits. */
export const generalTopic = (area: Area): TopicName => topicsByArea[area][0];

/** The area that a topic belongs to. */
export const areaOfTopic: ReadonlyMap<TopicName, Area> = new Map(
  areas.flatMap((area) => topicsByArea[area].map((topic) => [topic, area] as const)),
);
