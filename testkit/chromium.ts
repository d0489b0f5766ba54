import { existsSync } from 'node:fs';

/** Path of the program in Debian's package. */
export const chromiumPath = '/usr/bin/chromium';

/** Returns true if browser tests can run. */
export function hasChromium(): boolean {
  return existsSync(chromiumPath);
}
