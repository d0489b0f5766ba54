import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

type Libraries = Readonly<Record<'readLibraries' | 'describeComponents', (input: unknown) => Promise<string>>>;
const { readLibraries, describeComponents }: Libraries = await import(new URL('libraries.mjs', import.meta.url).href);

test('the list of components has the bundled libraries and the binaries, each with its license and digest', async () => {
  const files = ['src/program.ts', 'node_modules/knex/knex.js', 'node_modules/minisearch/dist/es/index.js'];
  const { components, metadata } = JSON.parse(await describeComponents(await readLibraries(files)));
  const binaries = Object.keys(manifest.optionalDependencies);
  expect(components.map(({ name }: { name: string }) => name)).toEqual([...binaries, 'knex', 'minisearch']);
  for (const it of components) expect(it).toMatchObject({ licenses: [expect.anything()], hashes: [expect.anything()] });
  expect(metadata.component).toMatchObject({ name: manifest.name, version: manifest.version });
});
