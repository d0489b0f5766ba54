import pc from 'picocolors';

export type Colours = ReturnType<typeof pc.createColors>;

/** Colours for people only: picocolors by itself would colour the files that a CI run writes, too. */
export function coloursFor(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): Colours {
  return pc.createColors(stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb');
}
