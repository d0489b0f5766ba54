import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Returns true if PATH contains all programs. */
export function hasCommands(...names: readonly string[]): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return names.every((name) => folders.some((it) => existsSync(join(it, name))));
}
