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

const version = await lastReleased();
const before = JSON.parse(await readFile(new URL(`${version}.json`, released), 'utf8'));
const after = parse(await readFile(new URL('../../openapi.yaml', import.meta.url), 'utf8'));
const changes = compareContracts(before, after);
const of = (verdict: Change['verdict']) => changes.filter((it) => it.verdict === verdict);

for (const change of of('addition')) console.log(`${pc.green('added')}     ${describe(change)}`);
for (const change of of('breaking')) console.log(`${pc.red('forbidden')} ${describe(change)}`);
console.log(`Since ${version}: ${of('addition').length} additions, ${of('breaking').length} forbidden changes`);
if (of('breaking').length > 0) {
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
