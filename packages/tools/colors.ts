import pc from 'picocolors';
import { bands, scoreMax } from '../../generated/spec.js';
import type { State } from '../client/src/index.js';

export type Colors = ReturnType<typeof pc.createColors>;

/** Returns colors for a terminal, otherwise no colors. Picocolors alone would also color the output of CI runs. */
export function colorsFor(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): Colors {
  return pc.createColors(stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb');
}

const paints = {
  calm: 'cyan',
  relaxed: 'green',
  focused: 'yellow',
  stressed: 'magenta',
  acute_stress: 'red',
} as const satisfies Record<State, keyof Colors>;

/** Returns the text in the color of a state. */
export function paint(state: State, text: string, colors: Colors): string {
  return colors[paints[state]](text);
}

/** Returns a bar of `width` blocks for a score of 0 to 100. Each block has the color of its band. */
export function scoreBar(score: number, width: number, colors: Colors): string {
  const filled = Math.round((score / scoreMax) * width);
  const blocks = Array.from({ length: filled }, (_, index) =>
    paint(findState((index / width) * scoreMax), '█', colors),
  );
  return blocks.join('') + colors.dim('░'.repeat(width - filled));
}

/** Returns the state of a score, also between two whole scores: the last band that begins at or below the score. */
export function findState(score: number): State {
  return bands.findLast(({ min_score }) => min_score <= score)?.state ?? 'calm';
}
