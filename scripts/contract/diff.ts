/**
 * `npm run contract -- diff [BASE]`: lists the changes of openapi.yaml since BASE, a file with a contract or a Git revision.
 * Default: the contract of the last release. With `--reject`, exits with 1 if a change is not an addition.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pc from 'picocolors';
import { parse } from 'yaml';
import type { Change } from './diff/changes.js';
import { compareContracts } from './diff/compare.js';

const operationsShown = 3;
const root = fileURLToPath(new URL('../../', import.meta.url));

const { values, positionals } = parseArgs({ allowPositionals: true, options: { reject: { type: 'boolean' } } });
const [base = `${root}scripts/contract/diff/released.yaml`] = positionals;
const changes = compareContracts(parse(readBase()), parse(readFileSync(`${root}openapi.yaml`, 'utf8')));
const additions = changes.filter((it) => it.verdict === 'addition');
const breaking = changes.filter((it) => it.verdict === 'breaking');

for (const change of additions) console.log(`${pc.green('added')}    ${describe(change)}`);
for (const change of breaking) console.log(`${pc.red('breaking')} ${describe(change)}`);
console.log(
  `Since ${positionals[0] ?? 'the last release'}: ${additions.length} additions, ${breaking.length} breaking changes`,
);
if (values.reject && breaking.length > 0) {
  console.log('A version allows additions only (docs/versioning.md). Undo these changes, or move them to /v2.');
  process.exitCode = 1;
}

/** Returns the contract to compare with, as YAML or JSON, which is YAML. */
function readBase(): string {
  if (existsSync(base)) return readFileSync(base, 'utf8');
  return execFileSync('git', ['show', `${base}:openapi.yaml`], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
  });
}

function describe({ at, message, operations }: Change): string {
  const shown = operations.filter((it) => !at.startsWith(it)).slice(0, operationsShown);
  const more = operations.length > shown.length ? ', …' : '';
  return `${at}: ${message}${shown.length > 0 ? ` [${shown.join(', ')}${more}]` : ''}`;
}
