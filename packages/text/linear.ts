import { messageBits, type MessageFeatures } from './message-features.js';
import type { LinearWeights, TextWeights } from './weights.js';

/** The models that judge a message as a whole, and their number of classes. */
const heads = { concern: 1, severity: 1, safety: 3 } as const;
export type HeadName = keyof typeof heads;
const headNames = Object.keys(heads) as HeadName[];

/** All heads. Contains no text. Immutable, so it can be shared. */
export interface Heads {
  readonly biases: Float32Array;
  /**
   * One table per family of features, with a row per bucket: squared rarity, then rarity × weight of each class, for each
   * head in turn. Each head has its own rarities, because its training has other texts.
   */
  readonly tables: readonly [forms: Float32Array, words: Float32Array];
}

/** Log odds of a message. */
export interface HeadScores {
  /** The speaker describes a concern of their own. */
  readonly concern: number;
  /** Severe distress. */
  readonly severity: number;
  /** Each danger against none, in the order of `dangerKinds`. */
  readonly safety: readonly [number, number, number];
}

const ROW_LENGTH = headNames.reduce((sum, name) => sum + 1 + heads[name], 0);

/** Throws if the weights have another shape than the features. */
export function toHeads(weights: Pick<TextWeights, HeadName>): Heads {
  const newTable = () => new Float32Array(ROW_LENGTH * 2 ** messageBits);
  const tables = [newTable(), newTable()] as const;
  let column = 0;
  for (const name of headNames) {
    const { biases, families } = weights[name];
    const fits =
      biases.length === heads[name] && families.map(({ bits }) => bits).join() === `${messageBits},${messageBits}`;
    if (!fits) throw new Error(`weights of ${name} are incomplete: run train`);
    tables.forEach((table, i) => fillColumns(table, column, families[i], heads[name]));
    column += 1 + heads[name];
  }
  return { biases: Float32Array.from(headNames.flatMap((name) => [...weights[name].biases])), tables };
}

/** The row of an unused bucket contains zeros. */
function fillColumns(
  table: Float32Array,
  column: number,
  family: LinearWeights['families'][0] | undefined,
  classes: number,
) {
  family?.buckets.forEach((bucket, i) => {
    const at = ROW_LENGTH * bucket + column;
    const rarity = family.rarities[i] ?? 0;
    table[at] = rarity * rarity;
    for (let k = 0; k < classes; k++) table[at + 1 + k] = rarity * (family.weights[classes * i + k] ?? 0);
  });
}

/** Scores a message. Each family is scaled to unit length, so that long texts do not count more. */
export function scoreHeads({ biases, tables }: Heads, features: MessageFeatures): HeadScores {
  let [concern = 0, severity = 0, suicidal = 0, selfHarm = 0, violence = 0] = biases;
  for (let family = 0; family < tables.length; family++) {
    const { length, buckets } = features[family] ?? features[0];
    const table = tables[family] ?? tables[0];
    // Uses eight scalar variables, because they stay in registers.
    let [q0, q1, q2, s0, s1, s2, s3, s4] = [0, 0, 0, 0, 0, 0, 0, 0];
    for (let i = 0; i < length; i++) {
      const at = ROW_LENGTH * (buckets[i] ?? 0);
      q0 += table[at] ?? 0;
      s0 += table[at + 1] ?? 0;
      q1 += table[at + 2] ?? 0;
      s1 += table[at + 3] ?? 0;
      q2 += table[at + 4] ?? 0;
      s2 += table[at + 5] ?? 0;
      s3 += table[at + 6] ?? 0;
      s4 += table[at + 7] ?? 0;
    }
    concern += scale(s0, q0);
    severity += scale(s1, q1);
    suicidal += scale(s2, q2);
    selfHarm += scale(s3, q2);
    violence += scale(s4, q2);
  }
  return { concern, severity, safety: [suicidal, selfHarm, violence] };
}

const scale = (sum: number, squares: number): number => (squares > 0 ? sum / Math.sqrt(squares) : 0);
