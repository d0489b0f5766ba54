import { fileURLToPath } from 'node:url';
import { build, type BuildOptions } from 'esbuild';
import { expect, test } from 'vitest';

type Options = Pick<BuildOptions, 'external' | 'plugins' | 'alias'>;
const { options } = (await import(new URL('options.mjs', import.meta.url).href)) as { options: Options };

/** Modules that the main thread of `serve` loads. */
const entryPoints = ['cli/command', 'cli/serve', 'serve/compose', 'serve/on-thread'].map((it) => `src/${it}.ts`);

/** Returns the source files that `entryPoints` load, without those that they load on demand. */
async function findLoaded(more: Options = {}): Promise<string[]> {
  const { metafile } = await build({
    ...{ absWorkingDir: fileURLToPath(new URL('../../', import.meta.url)), outdir: 'dist', write: false },
    ...{ bundle: true, splitting: true, platform: 'node', format: 'esm', logLevel: 'silent', metafile: true },
    ...{ entryPoints, ...options, ...more },
  });
  const outputs = Object.values(metafile.outputs).filter(({ entryPoint }) => entryPoints.includes(entryPoint ?? ''));
  for (const { imports } of outputs)
    for (const { path, kind } of imports) {
      const output = metafile.outputs[path];
      if (kind === 'import-statement' && output && !outputs.includes(output)) outputs.push(output);
    }
  return outputs.flatMap(({ inputs }) => Object.keys(inputs));
}

const schemas = /express-openapi-validator\/dist\/framework\/openapi\.v3.*\.json$/;

test('a start compiles no schema of OpenAPI. This test fails if the library changes the file that the build replaces', async () => {
  expect((await findLoaded({ plugins: [] })).some((it) => schemas.test(it))).toBe(true);
  expect((await findLoaded()).filter((it) => schemas.test(it))).toEqual([]);
});

test('the main thread of the service loads no database driver', async () => {
  const loaded = await findLoaded();
  expect(loaded).toContain('src/http/app.ts');
  expect(loaded.filter((it) => /node_modules\/(knex|mysql2|lodash)\//.test(it))).toEqual([]);
});
