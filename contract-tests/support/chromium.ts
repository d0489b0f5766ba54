import { existsSync } from 'node:fs';

/** The path in Debian's package. */
export const chromiumPath = '/usr/bin/chromium';

/** Whether browser tests can run. */
export function hasChromium(): boolean {
  return existsSync(chromiumPath);
}
