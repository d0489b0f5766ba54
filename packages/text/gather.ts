import { classTotal } from './model.js';
import { topicExtraction as settings } from './settings.js';
import type { TextAnalysis, TurnAnalysis } from './texts.js';
import { areas, type TopicName, topicNames, topicsByArea } from './vocabulary.js';
import type { TopicEvidence } from './vocabulary.js';

/** Topics of a turn, most likely first, and the session's evidence after the turn. */
export interface GatheredTopics {
  readonly topics: TopicName[];
  /** The topics that a first-person phrase names. A subset of `topics`. */
  readonly certainTopics: TopicName[];
  /**
   * The topics that a first-person phrase names without a concern ("My exam went fine"). They count only for a person
   * who is known to have had this concern. Empty if the turn has `topics`.
   */
  readonly calmTopics: TopicName[];
  readonly evidence: TopicEvidence;
}

/**
 * Returns the topics of a turn within its session. The list is empty if the user describes no concern of their own, or
 * if no area is likely enough. `kept` is the evidence after the previous turn of the session. It is undefined for the
 * first turn.
 */
export function gatherTopics(
  kept: TopicEvidence | undefined,
  { model, concern, user, assistant }: TurnAnalysis,
): GatheredTopics {
  const evidence = decayEvidence(kept, model);
  const named = (list: readonly number[]) => list.flatMap((number) => topicNames[number] ?? []);
  if (concern < settings.concern_log_odds_min) {
    const calm = nameTopics(user, evidence).filter((number) => user.firstPerson.includes(number));
    return { topics: [], certainTopics: [], calmTopics: named(calm), evidence: storeEvidence(evidence, model) };
  }
  const context = addTextEvidence(evidence, settings.assistant_weight, findHighestShares(assistant), assistant.points);
  const own = findHighestShares(user);
  const numbers = Math.max(...own) < settings.own_share_min ? [] : nameTopics(user, context);
  return {
    topics: named(numbers),
    certainTopics: named(numbers.filter((number) => user.firstPerson.includes(number))),
    calmTopics: [],
    evidence: storeEvidence(addTextEvidence(context, 1, own, user.points), model),
  };
}

/** Returns the topic of the most likely area, then topics of other likely areas that the user named by a phrase. */
function nameTopics(user: TextAnalysis, context: Evidence): number[] {
  const points = new Map(user.points);
  const shares = findHighestShares(user, toLeanings(context));
  const shareOf = (area: number) => shares[area] ?? 0;
  const likeliest = shares.indexOf(Math.max(...shares));
  const first = isOnlyMentioned(likeliest, points) && namesFeeling(user, shares) ? feelings : likeliest;
  if (shareOf(first) < shareMin(first, points, context)) return [];
  const main = bestTopic(first, points, context) ?? topicOfContext(first, context) ?? topicsOf[first]?.[0] ?? 0;
  const others = areaNumbers.filter((area) => area !== first && shareOf(area) >= settings.further_area_share_min);
  others.sort((a, b) => shareOf(b) - shareOf(a));
  const named = others.flatMap((area) => bestTopic(area, points, context) ?? []);
  return [main, ...named].slice(0, settings.topics_per_turn_max);
}

type Points = ReadonlyMap<number, number>;

const feelings = areas.indexOf('emotional_wellbeing');
const people: ReadonlySet<number> = new Set([areas.indexOf('family'), areas.indexOf('relationships')]);

/**
 * Returns true for an area about people if no phrase names a problem, as when the user only mentions a mother or a
 * partner.
 */
const isOnlyMentioned = (area: number, points: Points): boolean => people.has(area) && !isNamed(area, points);

/**
 * Returns true if the user names a feeling of their own. The feeling takes precedence over people mentioned with it.
 */
const namesFeeling = ({ firstPerson }: TextAnalysis, shares: readonly number[]): boolean =>
  firstPerson.some((topic) => topicsOf[feelings]?.includes(topic)) &&
  (shares[feelings] ?? 0) >= settings.further_area_share_min;

const isNamed = (area: number, points: Points): boolean =>
  (topicsOf[area] ?? []).some((topic) => (points.get(topic) ?? 0) >= settings.named_points_min);

/**
 * Returns the minimum share that an area requires. It is lower if a phrase names the area, because phrases are more
 * reliable. It is also lower for the area of the session, because sessions rarely change their area.
 */
function shareMin(area: number, points: Points, context: Evidence): number {
  const isContinued = (context.areas[area] ?? 0) >= settings.session_area_turns_min;
  return isNamed(area, points) || isContinued ? settings.named_area_share_min : settings.area_share_min;
}

/** Returns the topic of the area with the most phrase points in the user's text. On a tie, the context decides. */
function bestTopic(area: number, points: Points, context: Evidence): number | undefined {
  if (points.size === 0) return undefined;
  return findMost(area, (topic) => {
    const own = points.get(topic) ?? 0;
    return own > 0 ? own + settings.context_points_weight * Math.min(1, context.topics.get(topic) ?? 0) : 0;
  });
}

/** Returns the session's topic in this area, unless it has decayed. */
const topicOfContext = (area: number, context: Evidence): number | undefined =>
  findMost(area, (topic) => {
    const points = context.topics.get(topic) ?? 0;
    return points >= settings.context_points_min ? points : 0;
  });

const areaNumbers = areas.map((_, area) => area);
/** The topic numbers of each area, the general topic first. */
const topicsOf = areas.map((area) => topicsByArea[area].map((topic) => topicNames.indexOf(topic)));

/**
 * Returns the topic of the area with the highest value above 0. On a tie, returns the first topic in the vocabulary.
 */
function findMost(area: number, valueOf: (topic: number) => number): number | undefined {
  let best: number | undefined;
  let most = 0;
  for (const topic of topicsOf[area] ?? []) {
    const value = valueOf(topic);
    if (value > most) [best, most] = [topic, value];
  }
  return best;
}

/** Topic evidence for computation, by area number and topic number. */
interface Evidence {
  readonly areas: readonly number[];
  readonly topics: ReadonlyMap<number, number>;
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
  const named = kept.topics ?? {};
  for (const name of Object.keys(named)) {
    const number = numberOfTopic.get(name);
    if (number !== undefined) topics.set(number, keptPerTurn * bound(named[name as TopicName]));
  }
  return { areas: areas.map((area) => keptPerTurn * bound(kept.areas?.[area])), topics };
}

/** Converts evidence to its stored form, rounded and bounded. */
export function storeEvidence({ areas: turns, topics }: Evidence, model: number): TopicEvidence {
  const storedAreas: Record<string, number> = {};
  const storedTopics: Record<string, number> = {};
  for (const [k, area] of areas.entries()) addRounded(storedAreas, area, turns[k] ?? 0);
  for (const [number, points] of topics) addRounded(storedTopics, topicNames[number] ?? '', points);
  return { model, areas: storedAreas, topics: storedTopics };
}

function addRounded(stored: Record<string, number>, name: string, value: number): void {
  const rounded = Math.floor(bound(value) * PRECISION) / PRECISION;
  if (rounded > 0) stored[name] = rounded;
}

/** Share of an even distribution. A share of at most this value is not evidence. */
const evenShare = 1 / (areas.length + 1);

/**
 * Returns the evidence with a text's shares of the areas and its {@link TextAnalysis.points} of the topics, multiplied
 * by `weight`.
 */
export function addTextEvidence(
  { areas, topics }: Evidence,
  weight: number,
  shares: readonly number[],
  points: TextAnalysis['points'],
): Evidence {
  const sums = new Map(topics);
  for (const [number, more] of points) sums.set(number, (topics.get(number) ?? 0) + weight * more);
  return { areas: areas.map((sum, k) => sum + weight * Math.max(0, (shares[k] ?? 0) - evenShare)), topics: sums };
}

/** Returns the factors by which the session's evidence multiplies the odds of each area. */
const toLeanings = ({ areas }: Evidence): number[] =>
  areas.map((turns) => 1 + turns / settings.evidence_doubling_turns);

const bound = (value: unknown): number => (typeof value === 'number' && value > 0 ? Math.min(WEIGHT_MAX, value) : 0);

const noLeanings: readonly number[] = areas.map(() => 1);

/** Returns the highest share (0–1) of each area in any segment. The odds are first multiplied by the `leanings`. */
export function findHighestShares({ odds }: TextAnalysis, leanings = noLeanings): number[] {
  const best = leanings.map(() => 0);
  for (let from = 0; from < odds.length; from += classTotal) {
    let sum = odds[from + best.length] ?? 0;
    for (let k = 0; k < best.length; k++) sum += (odds[from + k] ?? 0) * (leanings[k] ?? 1);
    for (let k = 0; k < best.length; k++)
      best[k] = Math.max(best[k] ?? 0, ((odds[from + k] ?? 0) * (leanings[k] ?? 1)) / sum);
  }
  return best;
}
