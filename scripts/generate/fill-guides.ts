/**
 * Writes the constants of the contract and the settings of the service into the README and the guides, at the places
 * that comments mark. With --check, writes nothing and fails if a file is not up to date.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { figures } from './figures.js';
import { fill } from './fill.js';
import { markdownPages } from '../../web/docs/pages.js';

const root = new URL('../../', import.meta.url);
const isCheck = process.argv.includes('--check');

for (const source of new Set(['README.md', ...markdownPages.map((it) => it.source)])) {
  const file = new URL(source, root);
  const text = await readFile(file, 'utf8');
  const filled = fill(text, figures);
  if (filled === text) continue;
  if (isCheck) {
    console.error(`${source} is not up to date: run \`npm run generate\` and commit the result`);
    process.exitCode = 1;
  } else await writeFile(file, filled);
}
