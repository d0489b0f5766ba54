import { topicEffect as settings } from './model.js';
import { isComparable } from './response.js';
import type { PersonTurns } from './rows/person.js';
import type { StressSums } from './rows/trigger.js';
import { findUsual, meanOf, turnVarianceOf } from './usual.js';

/** How a topic differs from the usual level of the person. */
export interface Effect {
  /** Points above the usual level of the person. Shrunken toward the area of the topic, and this toward 0. */
  readonly points: number;
  readonly evidence: 'weak' | 'moderate' | 'strong';
}

/** The stress of a topic and of the other topics of its area, each over the turns that named it. */
export interface ComparedTopic {
  readonly own: StressSums | undefined;
  readonly related: readonly StressSums[];
}

/**
 * Returns the effect of a topic: the difference of its stress to the other turns of the person. Undefined if it cannot be compared.
 */
export function estimateEffect(person: PersonTurns | undefined, { own, related }: ComparedTopic): Effect | undefined {
  if (!person?.all || !own || own.turns <= 0 || !isComparable(person, own)) return undefined;
  const others = findUsual(person, subtract(person.all, own));
  if (!others) return undefined;
  const usual = meanOf(others);
  const turnVariance = turnVarianceOf(others);
  const area = estimateArea(related, usual, turnVariance);
  const between = settings.topic_sd_points ** 2 + area.variance;
  const within = turnVariance / own.turns;
  const share = between / (between + within);
  const points = area.points + share * (meanOf(own) - usual - area.points);
  return { points, evidence: rate(points / Math.sqrt(share * within)) };
}

/** Returns the mean effect of an area, and its variance. Topics with many turns count more. */
function estimateArea(related: readonly StressSums[], usual: number, turnVariance: number) {
  const seen = related.filter(({ turns }) => turns > 0);
  const precisionOf = ({ turns }: StressSums) => 1 / (settings.topic_sd_points ** 2 + turnVariance / turns);
  const total = seen.reduce((sum, it) => sum + precisionOf(it), settings.area_sd_points ** -2);
  const weighted = seen.reduce((sum, it) => sum + precisionOf(it) * (meanOf(it) - usual), 0);
  return { points: weighted / total, variance: 1 / total };
}

function rate(deviations: number): Effect['evidence'] {
  if (deviations > settings.strong_deviations) return 'strong';
  return deviations > settings.moderate_deviations ? 'moderate' : 'weak';
}

const subtract = (all: StressSums, own: StressSums): StressSums => ({
  turns: all.turns - own.turns,
  sum: all.sum - own.sum,
  squares: all.squares - own.squares,
});
