import { classTotal } from '../../packages/text/model.js';
import type { TextAnalysis } from '../../packages/text/analyzer.js';
import { areas } from '../../packages/text/vocabulary.js';

const noLeanings: readonly number[] = areas.map(() => 1);

/** Returns the highest share (0–1) of each area in any segment. The odds are first multiplied by the `leanings`. */
export function bestShares({ odds }: TextAnalysis, leanings = noLeanings): number[] {
  const best = leanings.map(() => 0);
  for (let from = 0; from < odds.length; from += classTotal) {
    let sum = odds[from + best.length] ?? 0;
    for (let k = 0; k < best.length; k++) sum += (odds[from + k] ?? 0) * (leanings[k] ?? 1);
    for (let k = 0; k < best.length; k++)
      best[k] = Math.max(best[k] ?? 0, ((odds[from + k] ?? 0) * (leanings[k] ?? 1)) / sum);
  }
  return best;
}
