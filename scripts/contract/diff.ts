/**
 * Compares openapi.yaml with the latest released contract (contract-tests/released/). Lists additions for the changelog.
 * Exits with 1 when a change is not allowed within a version.
 */
import { readdir, readFile } from 'node:fs/promises';
import pc from 'picocolors';
import { parse } from 'yaml';
import type { Change } from './diff/changes.js';
import { compareContracts } from './diff/compare.js';

const released = new URL('../../contract-tests/released/', import.meta.url);
const operationsShown = 3;
/** Forbidden changes that are allowed for the security of people. docs/versioning.md states the reason of each. */
const exceptions = [String.raw`pattern was "^[!-~]*$", is "^((\\.{0,2}[!-\\-/-~]|\\.{3})[!-~]*)?$"`];

const version = await lastReleased();
const before = JSON.parse(await readFile(new URL(`${version}.json`, released), 'utf8'));
const after = parse(await readFile(new URL('../../openapi.yaml', import.meta.url), 'utf8'));
const changes = compareContracts(before, after);
const additions = changes.filter((it) => it.verdict === 'addition');
const breaking = changes.filter((it) => it.verdict === 'breaking');
const allowed = breaking.filter(({ message }) => exceptions.includes(message));
const forbidden = breaking.filter((it) => !allowed.includes(it));

for (const change of additions) console.log(`${pc.green('added')}     ${describe(change)}`);
for (const change of allowed) console.log(`${pc.yellow('exception')} ${describe(change)}`);
for (const change of forbidden) console.log(`${pc.red('forbidden')} ${describe(change)}`);
console.log(
  `Since ${version}: ${additions.length} additions, ${allowed.length} exceptions, ${forbidden.length} forbidden changes`,
);
if (forbidden.length > 0) {
  console.log('A version allows additions only (docs/versioning.md). Undo these changes, or move them to /v2.');
  process.exitCode = 1;
}

function describe({ at, message, operations }: Change): string {
  const shown = operations.filter((it) => !at.startsWith(it)).slice(0, operationsShown);
  const more = operations.length > shown.length ? ', …' : '';
  return `${at}: ${message}${shown.length > 0 ? ` [${shown.join(', ')}${more}]` : ''}`;
}

/** Returns the highest version in the folder. */
async function lastReleased(): Promise<string> {
  const versions = (await readdir(released)).filter((it) => it.endsWith('.json')).map((it) => it.slice(0, -5));
  const [last] = versions.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  if (last === undefined) throw new Error('contract-tests/released/ contains no contract');
  return last;
}
