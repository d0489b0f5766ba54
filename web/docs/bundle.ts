import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Returns scripts and styles of the entry points, each in one file. The keys are `assets/NAME`. */
export async function bundle(folder: URL, entryPoints: readonly string[]): Promise<[string, Uint8Array][]> {
  const { outputFiles } = await build({
    entryPoints: entryPoints.map((path) => fileURLToPath(new URL(path, folder))),
    outdir: 'assets',
    entryNames: '[name]',
    bundle: true,
    minify: true,
    write: false,
    target: 'es2022',
    logLevel: 'warning',
  });
  return outputFiles.map(({ path, contents }) => [`assets/${basename(path)}`, contents]);
}
