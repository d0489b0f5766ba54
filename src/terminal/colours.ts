import pc from 'picocolors';

export type Colours = ReturnType<typeof pc.createColors>;

/** Returns colors for a terminal, otherwise no colors. Picocolors alone would also color the output of CI runs. */
export function coloursFor(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): Colours {
  return pc.createColors(stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb');
}
