import pc from 'picocolors';

export type Colours = ReturnType<typeof pc.createColors>;

/** Returns colors on a terminal only. Picocolors on its own also colors the output of CI runs. */
export function coloursFor(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): Colours {
  return pc.createColors(stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb');
}
