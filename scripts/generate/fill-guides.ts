/**
 * Writes the figures of the contract and the settings of the service into the README and the guides, where comments name
 * them. `npm run generate` runs it last. With --check it writes nothing and fails when a file is stale.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { figures } from '../docs/figures.js';
import { fill } from '../docs/fill.js';
import { markdownPages } from '../docs/pages.js';

const root = new URL('../../', import.meta.url);
const isCheck = process.argv.includes('--check');

for (const source of new Set(['README.md', ...markdownPages.map((it) => it.source)])) {
  const file = new URL(source, root);
  const text = await readFile(file, 'utf8');
  const filled = fill(text, figures);
  if (filled === text) continue;
  if (isCheck) {
    console.error(`${source} is stale: run \`npm run generate\` and commit the result`);
    process.exitCode = 1;
  } else await writeFile(file, filled);
}
