import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { describeVariables, listAllSettings, listSettings } from '../../../src/config/settings.js';
import { gatewayVariables } from '../../gateway/config.js';

const root = new URL('../../../', import.meta.url);
const listed = [...listAllSettings(), ...listSettings(gatewayVariables)];
const names = listed.map(({ name }) => name);

test('--help and docs/configuration.md list every environment variable in the same order and with the same text', async () => {
  const page = await readFile(new URL('docs/configuration.md', root), 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (.+) \| (.+) \|$/gm)];
  expect(rows.map(([, name]) => name)).toEqual(names);
  const lines = describeVariables(listed).split('\n');
  for (const [index, [, name, help, fallback]] of rows.entries())
    expect(lines[index]?.replace(/\s+/g, ' ').trim()).toBe(`${name} ${help} (default: ${fallback})`);
});

test('every environment variable that the source reads is documented', async () => {
  const paths = await readdir(new URL('src/', root), { recursive: true });
  const sources = await Promise.all(
    paths
      // Terminal output follows NO_COLOR and TERM, as every terminal program does.
      .filter((it) => it.endsWith('.ts') && !it.endsWith('.test.ts') && !it.startsWith('tools'))
      .map((it) => readFile(new URL(`src/${it}`, root), 'utf8')),
  );
  const read = sources.flatMap((it) => [...it.matchAll(/\benv(?:\[|\.)['"]?([A-Z][A-Z_]+)/g)].map(([, name]) => name));
  expect(read.length).toBeGreaterThan(2);
  // PATH belongs to the system.
  expect([...names, 'PATH']).toEqual(expect.arrayContaining(read));
});
