import {
  addEvidence,
  decayEvidence,
  type Evidence,
  leaningsOf,
  newEvidence,
  readEvidence,
  type TopicEvidence,
  writeEvidence,
} from './evidence.js';
import type { TopicModel } from './model.js';
import { bestShares, pointsOf, readText, type Reading } from './reading.js';
import { topicExtraction as settings } from '../../../generated/spec.js';
import { areas, topicNames, topicsByArea, type TopicName } from './vocabulary.js';

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
  readEvidence(kept, evidence);
  decayEvidence(evidence);
  addEvidence(evidence, settings.assistant_weight, bestShares(assistant), assistant.points);
  const own = bestShares(user);
  const topics = Math.max(...own) < settings.own_share_min ? [] : nameTopics(user, evidence);
  addEvidence(evidence, 1, own, user.points);
  return { topics, evidence: writeEvidence(evidence) };
}

/** Scratch: laid out once, for the next session's to be written over the last. */
const evidence = newEvidence();

/** Both at once. Deterministic, and never throws, whatever the text. */
export function extractTopics(model: TopicModel, kept: TopicEvidence | undefined, turn: Turn): Extraction {
  return gatherTopics(kept, readTurn(model, turn));
}

/** The likeliest area's topic, then topics of further likely areas that the user named by a phrase. */
function nameTopics(user: Reading, context: Evidence): TopicName[] {
  const { points } = user;
  const shares = bestShares(user, leaningsOf(context));
  const shareOf = (area: number) => shares[area] as number;
  const first = shares.indexOf(Math.max(...shares));
  if (shareOf(first) < shareMin(first, points, context)) return [];
  const main = bestTopic(first, points, context) ?? topicOfContext(first, context) ?? (topicsOf[first]?.[0] as number);
  const others = areaNumbers.filter((area) => area !== first && shareOf(area) >= settings.further_area_share_min);
  others.sort((a, b) => shareOf(b) - shareOf(a));
  const named = others.flatMap((area) => bestTopic(area, points, context) ?? []);
  return [main, ...named].slice(0, settings.topics_per_turn_max).map((number) => topicNames[number] as TopicName);
}

/** A phrase is surer than a share learned from few sentences, and a session seldom jumps. */
function shareMin(area: number, points: Reading['points'], context: Evidence): number {
  const isNamed = (topicsOf[area] ?? []).some((topic) => pointsOf(points, topic) >= settings.named_points_min);
  const isGoingOn = (context.areas[area] as number) >= settings.session_area_turns_min;
  return isNamed || isGoingOn ? settings.named_area_share_min : settings.area_share_min;
}

/** The area's topic with the most points of the user's phrases; the context decides between equals. */
function bestTopic(area: number, points: Reading['points'], context: Evidence): number | undefined {
  if (points.length === 0) return undefined;
  return mostOf(area, (topic) => {
    const own = pointsOf(points, topic);
    return own > 0 ? own + settings.context_points_weight * Math.min(1, context.topics[topic] as number) : 0;
  });
}

/** What the session talked about in this area, while that is fresh. */
const topicOfContext = (area: number, context: Evidence): number | undefined =>
  mostOf(area, (topic) => {
    const points = context.topics[topic] as number;
    return points >= settings.context_points_min ? points : 0;
  });

const areaNumbers = areas.map((_, area) => area);
/** The numbers of each area's topics, the general one first. */
const topicsOf = areas.map((area) => topicsByArea[area].map((topic) => topicNames.indexOf(topic)));

/** The area's topic with the highest worth above 0, the vocabulary's order deciding between equals. */
function mostOf(area: number, worthOf: (topic: number) => number): number | undefined {
  let best: number | undefined;
  let most = 0;
  for (const topic of topicsOf[area] ?? []) {
    const worth = worthOf(topic);
    if (worth > most) [best, most] = [topic, worth];
  }
  return best;
}
