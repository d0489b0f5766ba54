/**
 * `npm run build`: bundles the program and its libraries to dist/, so that a start loads a few files, and an installed
 * package needs only the libraries in `external`. `--clean` is for `npm pack`: it deletes files of earlier builds first, and
 * lists the libraries in dist/sbom.cdx.json (CycloneDX).
 */
import '../../src/cli/require-node.mjs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { stampBuild } from './build-changed.mjs';
import { describeComponents, describeLicenses, readLibraries } from './libraries.mjs';
import { options } from './options.mjs';

const beganAt = new Date();
const root = new URL('../../', import.meta.url);
const isClean = process.argv.includes('--clean');
if (isClean) await rm(new URL('dist/', root), { recursive: true, force: true });
const shared = {
  absWorkingDir: fileURLToPath(root),
  bundle: true,
  platform: 'node',
  format: 'esm',
  outdir: 'dist',
  write: false,
  logLevel: 'warning',
};
/** Checks the release of Node.js, so older releases must parse it. Imports the program unless the release is too old. */
const start = await build({ ...shared, entryPoints: ['src/main.ts'], target: 'es2020', external: ['./program.js'] });
const { metafile, outputFiles } = await build({
  ...shared,
  entryPoints: ['src/program.ts'],
  splitting: true,
  target: 'node20',
  ...options,
  chunkNames: 'chunks/[name]-[hash]',
  minifySyntax: true,
  // V8 keeps the text of loaded files in memory: comments and indentation are a third of it.
  minifyWhitespace: true,
  lineLimit: 160,
  legalComments: 'none',
  sourcemap: true,
  metafile: true,
  // CommonJS libraries call `require` for the modules of Node.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
});
await Promise.all([...start.outputFiles, ...outputFiles].map(writeChanged));
/** The scripts of the sites, which sites.mjs builds, contain libraries too. */
const sites = await build({
  ...shared,
  entryPoints: [
    'packages/docs/browser/main.ts',
    'packages/dashboard/browser/main.ts',
    'packages/person/browser/main.ts',
  ],
  metafile: true,
});
const libraries = await readLibraries([metafile, sites.metafile].flatMap(({ inputs }) => Object.keys(inputs)));
await writeFile(new URL('dist/THIRD_PARTY_LICENSES.txt', root), await describeLicenses(libraries));
if (isClean) await writeFile(new URL('dist/sbom.cdx.json', root), await describeComponents(libraries));
stampBuild('program', beganAt);

/** Writes a file unless it has the same content already, because another process may be loading it. */
async function writeChanged({ path, contents }) {
  const stored = await readFile(path).catch(() => undefined);
  if (stored?.equals(contents)) return;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, contents);
}
