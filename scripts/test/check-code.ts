/**
 * Checks the types and lint rules of all code except `lab/`. Exits with 1 if there are errors. Programs of native code check what
 * needs types: TypeScript 7 and oxlint. ESLint checks the imports of the layers. Libraries that call TypeScript use TypeScript 5.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isInstalled, outsideFolders } from '../../testkit/outside.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const missing = outsideFolders.filter((it) => !isInstalled(it));
const projects = [
  missing.length === 0 ? 'tsconfig.outside.json' : 'tsconfig.json',
  // With the other code of browsers.
  'packages/dashboard',
];
/** Compiled where their packages are installed, or the clients that they use are generated. */
const elsewhere = ['lab', 'examples/mail', 'examples/nextjs-chat', 'scripts/contract/sdk/adapters', ...missing];
const ignored = ['lab', ...missing].flatMap((it) => ['--ignore-pattern', `${it}/**`]);

const checked = new Set(projects.flatMap(checkTypes));
const list = ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts'];
const present = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).trim().split('\n');
for (const file of present.filter((it) => !elsewhere.some((folder) => it.startsWith(`${folder}/`))))
  if (!checked.has(root + file)) fail(`${file}: no tsconfig.json contains this file`);
run('oxlint/bin/oxlint', '--type-aware', '--deny-warnings', ...ignored);
run('eslint/bin/eslint.js', '--max-warnings', '0', ...ignored, '.');

/** Prints the errors of a project. Returns its files. */
function checkTypes(project: string): string[] {
  const args = ['node_modules/typescript-native/bin/tsc', '--listFiles', '--project', project];
  const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
  const lines = stdout.trim().split('\n');
  for (const line of lines.filter((it) => !it.startsWith('/'))) fail(line);
  return lines;
}

function run(file: string, ...args: readonly string[]): void {
  const { status } = spawnSync(process.execPath, [`node_modules/${file}`, ...args], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}

function fail(line: string): void {
  console.log(line);
  process.exitCode = 1;
}
