import { existsSync } from 'node:fs';

/** Debian's package. */
export const chromiumPath = '/usr/bin/chromium';

/** Whether tests can look at pages in a browser. */
export function hasChromium(): boolean {
  return existsSync(chromiumPath);
}
