import {
  addEvidence,
  decayEvidence,
  type Evidence,
  leaningsOf,
  readEvidence,
  writeEvidence,
  type TopicEvidence,
} from './evidence.js';
import type { TopicModel } from './model.js';
import { bestShares, readText, type Reading } from './reading.js';
import { topicExtraction as settings } from '../../../generated/spec.js';
import { areas, generalTopic, topicNames, topicsByArea, type Area, type TopicName } from './vocabulary.js';

export { loadTopicModel, type TopicModel } from './model.js';
export type { TopicEvidence } from './evidence.js';

/** One exchange: what the user said and what the assistant answered. Either may be empty. */
export interface Turn {
  readonly user_message: string;
  readonly ai_response: string;
}

/** What a turn says about topics: numbers only, nothing of its text. */
export interface TurnReading {
  readonly user: Reading;
  readonly assistant: Reading;
}

/** Topics of a turn, the likeliest first, and the session's evidence after it. */
export interface Extraction {
  readonly topics: TopicName[];
  readonly evidence: TopicEvidence;
}

/** Reads the text of a turn, by itself; from here on the text is not needed any more. */
export function readTurn(model: TopicModel, turn: Turn): TurnReading {
  return { user: readText(model, turn.user_message), assistant: readText(model, turn.ai_response) };
}

/**
 * Names the topics of a turn in the light of its session; none for small talk or where no area stands out.
 * `kept` is what the session's turn before left, undefined on the first; keep what comes back.
 */
export function gatherTopics(kept: TopicEvidence | undefined, { user, assistant }: TurnReading): Extraction {
  const evidence = readEvidence(kept);
  decayEvidence(evidence);
  addEvidence(evidence, settings.assistant_weight, bestShares(assistant, []), assistant.points);
  const own = bestShares(user, []);
  const topics = Math.max(...own) < settings.own_share_min ? [] : nameTopics(user, evidence);
  addEvidence(evidence, 1, own, user.points);
  return { topics, evidence: writeEvidence(evidence) };
}

/** Both at once. Deterministic, and never throws, whatever the text. */
export function extractTopics(model: TopicModel, evidence: TopicEvidence | undefined, turn: Turn): Extraction {
  return gatherTopics(evidence, readTurn(model, turn));
}

/** The likeliest area's topic, then topics of further likely areas that the user named by a phrase. */
function nameTopics(user: Reading, context: Evidence): TopicName[] {
  const shares = bestShares(user, leaningsOf(context));
  const shareOf = (area: Area) => shares[areas.indexOf(area)] ?? 0;
  const [first, ...others] = [...areas].sort((a, b) => shareOf(b) - shareOf(a));
  if (first === undefined || shareOf(first) < shareMin(first, user, context)) return [];
  const further = others.filter((area) => shareOf(area) >= settings.further_area_share_min);
  const named = further.flatMap((area) => bestTopic(area, user.points, context) ?? []);
  const main = bestTopic(first, user.points, context) ?? topicOfContext(first, context) ?? generalTopic(first);
  return [main, ...named].slice(0, settings.topics_per_turn_max);
}

/** A phrase of several words is surer than a share learned from few sentences, and a session seldom jumps. */
function shareMin(area: Area, { points }: Reading, context: Evidence): number {
  const most = Math.max(0, ...(numbersOf.get(area) ?? []).map((topic) => points.get(topic) ?? 0));
  const turns = context.areas[areas.indexOf(area)] ?? 0;
  const isNamed = most >= settings.named_points_min || turns >= settings.session_area_turns_min;
  return isNamed ? settings.named_area_share_min : settings.area_share_min;
}

/** The area's topic with the most points of the user's phrases; the context decides between equals. */
function bestTopic(area: Area, points: Reading['points'], context: Evidence): TopicName | undefined {
  return mostOf(area, (topic) => {
    const own = points.get(topic) ?? 0;
    return own > 0 ? own + settings.context_points_weight * Math.min(1, context.topics[topic] ?? 0) : 0;
  });
}

/** What the session talked about in this area, while that is fresh. */
const topicOfContext = (area: Area, context: Evidence): TopicName | undefined =>
  mostOf(area, (topic) => {
    const points = context.topics[topic] ?? 0;
    return points >= settings.context_points_min ? points : 0;
  });

/** The numbers of each area's topics. */
const numbersOf = new Map(
  areas.map((area) => [area, topicsByArea[area].map((topic) => topicNames.indexOf(topic))] as const),
);

/** The area's topic with the highest worth above 0, the vocabulary's order deciding between equals. */
function mostOf(area: Area, worthOf: (topic: number) => number): TopicName | undefined {
  let best: number | undefined;
  let most = 0;
  for (const topic of numbersOf.get(area) ?? []) {
    const worth = worthOf(topic);
    if (worth > most) [best, most] = [topic, worth];
  }
  return best === undefined ? undefined : topicNames[best];
}
