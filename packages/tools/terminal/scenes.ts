import type { State, Submission } from '../../client/src/index.js';

/** Lowest and highest value. Both are included. */
export type Range = readonly [low: number, high: number];

/** Signals of a steady scene, and the state that they should reach. */
export interface Scene {
  readonly name: State;
  readonly heartRate: Range;
  readonly tone: NonNullable<Submission['tone']>;
  readonly sentiment: Range;
}

/** Readings of one scene in the demo and the dashboard. */
export const readingsPerScene = 10;

/** The reference scenes to which the stress model was fitted. */
export const scenes: readonly Scene[] = [
  { name: 'calm', heartRate: [59, 65], tone: 'calm', sentiment: [0.4, 0.7] },
  { name: 'relaxed', heartRate: [65, 71], tone: 'calm', sentiment: [0.2, 0.5] },
  { name: 'focused', heartRate: [71, 79], tone: 'focused', sentiment: [0, 0.2] },
  { name: 'stressed', heartRate: [87, 97], tone: 'tense', sentiment: [-0.4, -0.2] },
  { name: 'acute_stress', heartRate: [105, 120], tone: 'hostile', sentiment: [-0.8, -0.6] },
];

export type DrawnSignals = Required<Pick<Submission, 'heart_rate' | 'tone' | 'sentiment'>>;

/** Returns one reading of a scene. `random` returns numbers in [0, 1). */
export function draw({ heartRate, tone, sentiment }: Scene, random: () => number): DrawnSignals {
  return { heart_rate: uniform(heartRate, 1, random), tone, sentiment: uniform(sentiment, 2, random) };
}

function uniform([low, high]: Range, digits: number, random: () => number): number {
  return Number((low + (high - low) * random()).toFixed(digits));
}

/** Returns a generator of numbers in [0, 1). The same seed gives the same numbers (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
