import { existsSync } from 'node:fs';

/** Paths of the programs in Debian's packages. The headless shell takes half of the CPU time of the whole browser. */
const paths = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/** Path of the installed program. Without one, the path of the whole browser. */
export const chromiumPath = paths.find((it) => existsSync(it)) ?? '/usr/bin/chromium';

/** Returns true if browser tests can run. */
export function hasChromium(): boolean {
  return existsSync(chromiumPath);
}
