/**
 * `npm pack` of a package: bundles its entry points to dist/, without its dependencies, and writes their types. Runs in the
 * folder of the package. Arguments: the entry points, e.g. `src/index.ts`.
 */
import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import ts from 'typescript';
import { deleteOthers, replaceFiles, toEntries } from './replace-files.mjs';

const dist = resolve('dist');
const root = fileURLToPath(new URL('../../', import.meta.url));
const entryPoints = process.argv.slice(2);
const { dependencies = {} } = JSON.parse(readFileSync('package.json', 'utf8'));
const { outputFiles } = await build({
  ...{ entryPoints, outdir: 'dist', bundle: true, splitting: true, chunkNames: 'chunk-[hash]', write: false },
  ...{ format: 'esm', target: 'es2022', platform: 'neutral', logLevel: 'warning', external: Object.keys(dependencies) },
});
const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root);
const emitted = { noEmit: false, declaration: true, emitDeclarationOnly: true, rootDir: root, outDir: 'dist/types' };
const files = new Map([['LICENSE', readFileSync(`${root}LICENSE`)], ...toEntries(outputFiles, dist)]);
const keep = (path, text) => files.set(relative(dist, path), text);
const program = ts.createProgram(entryPoints, { ...options, ...emitted });
const faults = [...ts.getPreEmitDiagnostics(program), ...program.emit(undefined, keep).diagnostics];
if (faults.length > 0)
  throw new Error(
    ts.formatDiagnostics(faults, {
      ...ts.sys,
      getCanonicalFileName: (it) => it,
      getNewLine: () => '\n',
      getCurrentDirectory: () => root,
    }),
  );
await replaceFiles(dist, files);
await deleteOthers(dist, '', files);
