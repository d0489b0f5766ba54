/**
 * `npm run build`: bundles the program and its libraries to dist/, so that a start loads a few files, and an installed
 * package needs only the libraries in `external`. `--clean` is for `npm pack`: it deletes files of earlier builds, and
 * lists the libraries in dist/sbom.cdx.json (CycloneDX).
 */
import '../../src/cli/require-node.mjs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { stampBuild } from './build-changed.mjs';
import { describeComponents, describeLicenses, readLibraries } from './libraries.mjs';
import { options } from './options.mjs';
import { deleteOthers, replaceFiles, toEntries } from './replace-files.mjs';

const beganAt = new Date();
const root = new URL('../../', import.meta.url);
const dist = fileURLToPath(new URL('dist/', root));
const isClean = process.argv.includes('--clean');
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
const built = toEntries([...outputFiles, ...start.outputFiles], dist);
// The program follows the chunks that it loads.
const files = new Map([
  ['THIRD_PARTY_LICENSES.txt', await describeLicenses(libraries)],
  ...(isClean ? [['sbom.cdx.json', await describeComponents(libraries)]] : []),
  ...built.filter(([path]) => path.startsWith('chunks')),
  ...built.filter(([path]) => !path.startsWith('chunks')),
]);
await replaceFiles(dist, files);
if (isClean) await deleteOthers(dist, '', files);
stampBuild('program', beganAt);
