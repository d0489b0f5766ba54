import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const root = new URL('../../../', import.meta.url);

test('every test file that the security policy names exists', async () => {
  const policy = await readFile(new URL('SECURITY.md', root), 'utf8');
  const paths = [...policy.matchAll(/`((?:contract-tests|src|packages|testkit|lab)\/[^`]+)`/g)].map(
    ([, path = '']) => path,
  );
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
});
