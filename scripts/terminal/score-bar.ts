import { bands, stressModel } from '../../generated/spec.js';
import type { State } from '../../src/contract.js';
import type { Colours } from './colours.js';

const paints = {
  calm: 'cyan',
  relaxed: 'green',
  focused: 'yellow',
  stressed: 'magenta',
  acute_stress: 'red',
} as const satisfies Record<State, keyof Colours>;

/** The text in the colour of a state. */
export function paint(state: State, text: string, colours: Colours): string {
  return colours[paints[state]](text);
}

/** A bar of `width` blocks for a score of 0 to 100; each block has the colour of the band it stands in. */
export function scoreBar(score: number, width: number, colours: Colours): string {
  const filled = Math.round((score / stressModel.score_max) * width);
  const blocks = Array.from({ length: filled }, (_, index) =>
    paint(bandAt((index / width) * stressModel.score_max), '█', colours),
  );
  return blocks.join('') + colours.dim('░'.repeat(width - filled));
}

/** The last band that begins at or below the score; bands are listed from calm upwards. */
function bandAt(score: number): State {
  return bands.findLast(({ min_score }) => min_score <= score)?.state ?? 'calm';
}
