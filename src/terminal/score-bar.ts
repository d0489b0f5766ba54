import { bands, stressModel } from '../../generated/spec.js';
import type { State } from '../contract.js';
import type { Colours } from './colours.js';

const paints = {
  calm: 'cyan',
  relaxed: 'green',
  focused: 'yellow',
  stressed: 'magenta',
  acute_stress: 'red',
} as const satisfies Record<State, keyof Colours>;

/** Returns the text in the color of a state. */
export function paint(state: State, text: string, colours: Colours): string {
  return colours[paints[state]](text);
}

/** Returns a bar of `width` blocks for a score of 0 to 100. Each block has the color of its band. */
export function scoreBar(score: number, width: number, colours: Colours): string {
  const filled = Math.round((score / stressModel.score_max) * width);
  const blocks = Array.from({ length: filled }, (_, index) =>
    paint(bandAt((index / width) * stressModel.score_max), '█', colours),
  );
  return blocks.join('') + colours.dim('░'.repeat(width - filled));
}

/** Returns the last band that begins at or below the score. Bands are ordered from calm upwards. */
function bandAt(score: number): State {
  return bands.findLast(({ min_score }) => min_score <= score)?.state ?? 'calm';
}
