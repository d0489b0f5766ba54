import { stateHold, stressModel } from '../../../packages/score/model.js';
import { shareOf } from '../../../packages/tools/evaluate/figures/statistics.js';
import type { Row } from '../../../packages/tools/evaluate/protocol/rows.js';
import { type Lived, playPerson } from './life-play.js';

interface Candidate {
  readonly sparse_dwell_factor: number;
  readonly new_weight_seconds: number;
}

const candidates: readonly Candidate[] = [2000, 3000, 4000].flatMap((new_weight_seconds) =>
  [1, 2, 3, 4, 5, 6, 8].map((sparse_dwell_factor) => ({ sparse_dwell_factor, new_weight_seconds })),
);

/** The limit of stressed rest, as a share. */
const restMax = 0.04;

/**
 * Plays each person with the constants of the rule for sparse readings that are the best for all others: the most stressors
 * stressed at rest of at most 4 %. Of equally good ones, the middle one counts.
 */
export function playNested(people: readonly Row[][]): Lived[][] {
  const played = candidates.map((it) => withConstants(it, () => people.map(playPerson)));
  return people.map((_, left) => {
    const rated = played.map((lived) => rate(lived.filter((__, index) => index !== left).flat()));
    const best = Math.max(...rated);
    const equal = played.filter((__, index) => rated[index] === best);
    return equal[Math.floor((equal.length - 1) / 2)]?.[left] ?? [];
  });
}

/** Returns the share of stressors that are stressed. 0 if too much rest is. */
function rate(lived: readonly Lived[]): number {
  const share = (side: Row['side']) =>
    shareOf(
      lived.filter(({ row }) => row.side === side),
      ({ isStressed }) => isStressed,
    );
  return share('rest') > restMax ? 0 : share('stressor');
}

/** Runs a function with other constants of the score. */
function withConstants<T>({ sparse_dwell_factor, new_weight_seconds }: Candidate, run: () => T): T {
  const [hold, baseline] = [
    stateHold as { sparse_dwell_factor: number },
    stressModel.baseline as { new_weight_seconds: number },
  ];
  const before = { hold: hold.sparse_dwell_factor, baseline: baseline.new_weight_seconds };
  try {
    hold.sparse_dwell_factor = sparse_dwell_factor;
    baseline.new_weight_seconds = new_weight_seconds;
    return run();
  } finally {
    hold.sparse_dwell_factor = before.hold;
    baseline.new_weight_seconds = before.baseline;
  }
}
