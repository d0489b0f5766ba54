import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { connections, readVersion } from './connects.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Returns the text of a test and of the modules of the testkit and its folder, which may import the package. */
function readAround(path: string): string {
  const folders = [join(root, dirname(path)), join(root, 'testkit')];
  const helpers = folders.flatMap((it) =>
    readdirSync(it)
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => join(it, name)),
  );
  return [join(root, path), ...helpers].map((it) => readFileSync(it, 'utf8')).join('\n');
}

test.each(connections.map((it) => [it.client, it] as const))('%s: the test exists and uses the client', (_, it) => {
  expect(existsSync(join(root, it.test))).toBe(true);
  expect(readVersion(it)).toMatch(/^\S/);
  if (it.npm !== undefined) expect(readAround(it.test)).toContain(it.npm);
});
