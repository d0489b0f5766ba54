/**
 * `npm run build`: bundles the program and its libraries to dist/, so that a start loads a few files, and an installed
 * package needs only the libraries in `external`. `--clean` deletes files of earlier builds first, for `npm pack`.
 */
import '../../src/cli/require-node.mjs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { stampBuild } from './build-changed.mjs';
import { options } from './options.mjs';

const beganAt = new Date();
const root = new URL('../../', import.meta.url);
if (process.argv.includes('--clean')) await rm(new URL('dist/', root), { recursive: true, force: true });
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
  sourcemap: true,
  metafile: true,
  // CommonJS libraries call `require` for the modules of Node.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
});
await Promise.all([...start.outputFiles, ...outputFiles].map(writeChanged));
await writeFile(new URL('dist/THIRD_PARTY_LICENSES.txt', root), await licenses(Object.keys(metafile.inputs)));
stampBuild('program', beganAt);

/** Writes a file unless it has the same content already, because another process may be loading it. */
async function writeChanged({ path, contents }) {
  const stored = await readFile(path).catch(() => undefined);
  if (stored?.equals(contents)) return;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, contents);
}

/** Returns the names, versions and license texts of the bundled libraries. */
async function licenses(inputs) {
  const folders = new Set(inputs.map((it) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(it)?.[1]).filter(Boolean));
  const texts = await Promise.all([...folders].sort().map(licenseOf));
  return texts.join('\n\n');
}

async function licenseOf(folder) {
  const { name, version, license } = JSON.parse(await readFile(new URL(`${folder}/package.json`, root), 'utf8'));
  const file = (await readdir(new URL(`${folder}/`, root))).find((it) => /^licen[cs]e/i.test(it));
  const text = file ? await readFile(new URL(`${folder}/${file}`, root), 'utf8') : `License: ${license}`;
  return `${name} ${version}\n${'-'.repeat(40)}\n${text.trim()}`;
}
