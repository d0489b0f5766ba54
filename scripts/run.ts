/**
 * `npm run lab -- GROUP NAME …` and `npm run contract -- NAME …`: build what changed, then run the script with this name
 * in lab/ or scripts/contract/. Without a name, prints the names.
 */
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildChanged } from './build/build-changed.mjs';

const [folder = '', ...words] = process.argv.slice(2);
const root = fileURLToPath(new URL(`../${folder}/`, import.meta.url));
const [first = '', second = ''] = words;
const candidates = [
  { path: `${first}/${second}.ts`, used: 2 },
  // The benchmarks are one script with a command each.
  { path: `${first}/${first}.ts`, used: 1 },
  { path: `${first}.ts`, used: 1 },
];
const found = candidates.find(({ path }) => existsSync(root + path));
if (found) {
  buildChanged('program');
  if (first === 'screenshots') buildChanged('documentation');
  process.argv.splice(1, 2 + found.used, root + found.path);
  await import(root + found.path);
} else {
  const group = existsSync(root + first) ? `${first}/` : '';
  const names = readdirSync(root + group).filter(
    (it) => !it.includes('test.') && !/^(node_modules|support|shared)$/.test(it),
  );
  console.error(`Pass one of: ${[...new Set(names.map((it) => it.replace(/\.ts$/, '')))].join(', ')}`);
  process.exitCode = 1;
}
