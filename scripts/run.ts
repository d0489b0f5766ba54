/**
 * `npm run lab -- GROUP NAME …` and `npm run contract -- NAME …`: build what changed, then run the script with this name
 * in lab/ or scripts/contract/. Without a name, prints the names.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isInstalled } from '../testkit/outside.js';
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
  if (folder === 'lab' && ['bench', 'check'].includes(first)) installPackages();
  buildChanged('program');
  if (first === 'screenshots') buildChanged('documentation');
  process.argv.splice(1, 2 + found.used, root + found.path);
  await import(root + found.path);
} else {
  const group = first !== '' && existsSync(root + first) ? `${first}/` : '';
  const entries = readdirSync(root + group, { withFileTypes: true });
  // At the root of lab/, a group is a folder. Everywhere else, a script is a file.
  const isGroup = folder === 'lab' && group === '';
  const names = entries
    .filter((it) => (isGroup ? it.isDirectory() : /^[\w-]+\.ts$/.test(it.name)))
    .map((it) => it.name);
  const shown = names.filter((it) => it !== 'node_modules').map((it) => it.replace('.ts', ''));
  console.error(`Pass one of: ${shown.join(', ')}`);
  process.exitCode = 1;
}

/** Installs the packages of lab/, which `npm ci` of the project does not install. */
function installPackages(): void {
  if (isInstalled('lab')) return;
  console.error('Installing the packages of lab/ (once) …');
  const { status } = spawnSync('npm', ['ci', '--silent', '--prefix', root], { stdio: 'inherit' });
  if (status === 0) return;
  console.error('npm ci failed in lab/. Run npm ci --prefix lab, then this command again.');
  process.exit(1);
}
