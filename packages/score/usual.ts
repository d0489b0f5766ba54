import { type Area, areaOfTopic, type TopicName } from '../text/vocabulary.js';
import { bands, triggers as contract } from './generated/contract.js';
import { topicEffect as settings } from './model.js';
import type { PersonTurns } from './rows/person.js';
import type { StressSums } from './rows/trigger.js';
import { round3, type State } from './rows/values.js';

/** What is known of the complete turns of a person. */
export type KnownTurns = Omit<PersonTurns, 'open' | 'heartAtMs'>;

/** A complete turn, as far as it tells what is usual. */
export interface UsualTurn {
  /** Timestamp of the reading in epoch ms. */
  readonly atMs: number;
  readonly topics: readonly TopicName[];
  readonly calmTopics: readonly TopicName[];
  /** Stress of voice, face, words and the response of the heart, 0–100. */
  readonly measured: number;
  /** 1, or less for a turn during movement. */
  readonly weight: number;
  /** True if a rise of the heart rate followed. */
  readonly isRisen: boolean;
  /** True if the turn supports the resolution of its topics. */
  readonly isCalm: boolean;
}

/** Adds a complete turn. */
export function addTurnToKnown(before: KnownTurns, turn: UsualTurn, fromBpm: number): KnownTurns {
  const calm = turn.isRisen ? before.calm : addStress(before.calm, [turn]);
  const calmInRow = countInRow(before.calmInRow, turn);
  const rise = turn.isRisen ? { atMs: turn.atMs, fromBpm } : before.rise;
  return { all: addStress(before.all, [turn]), calm, rise, calmInRow };
}

function countInRow(before: PersonTurns['calmInRow'], { topics, calmTopics, isCalm, atMs }: UsualTurn) {
  const areas = new Set([...topics, ...calmTopics].flatMap((topic) => areaOfTopic.get(topic) ?? []));
  if (areas.size === 0) return before;
  const others = Object.entries(before ?? {}).filter(([area]) => !areas.has(area as Area));
  const count = (area: Area) => {
    const { turns = 0, sinceMs = atMs } = before?.[area] ?? {};
    return [area, { turns: Math.min(contract.resolving_area_turns, turns + 1), sinceMs }] as const;
  };
  return Object.fromEntries([...others, ...(isCalm ? [...areas].map(count) : [])]);
}

/**
 * Returns the turns that no rise followed: they tell what is usual for a person, however many topics stress the person. While
 * few of them are known, `others` tell it.
 */
export const findUsual = ({ calm }: KnownTurns, others: StressSums | undefined): StressSums | undefined =>
  (calm?.turns ?? 0) >= contract.other_turns_min ? calm : others;

/** Returns true for a stress that the usual turns of a person reach too. */
export function isUsual(known: KnownTurns, measured: number): boolean {
  const usual = findUsual(known, known.all);
  if (!usual || usual.turns <= 0) return true;
  return measured <= meanOf(usual) + settings.moderate_deviations * Math.sqrt(turnVarianceOf(usual));
}

/** Adds the stress of turns to the sums. Undefined if there are no turns. */
export function addStress(
  sums: StressSums | undefined,
  turns: readonly Pick<UsualTurn, 'measured' | 'weight'>[],
): StressSums | undefined {
  return turns.reduce<StressSums | undefined>((before, { measured, weight }) => {
    const { turns, sum, squares } = before ?? { turns: 0, sum: 0, squares: 0 };
    return {
      turns: round3(turns + weight),
      sum: round3(sum + weight * measured),
      squares: round3(squares + weight * measured ** 2),
    };
  }, sums);
}

export const meanOf = ({ turns, sum }: StressSums): number => sum / turns;

/** Returns the variance of turns, or that of turns which differ as little as possible. */
export const turnVarianceOf = ({ turns, sum, squares }: StressSums): number =>
  Math.max(settings.turn_sd_points_min ** 2, squares / turns - (sum / turns) ** 2);

/** Returns the lowest score of the band of a state. */
export function findLowestScore(state: State): number {
  return bands.find((band) => band.state === state)?.min_score ?? 0;
}
