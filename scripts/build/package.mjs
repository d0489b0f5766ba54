/**
 * `npm pack` of a package: bundles its entry points to dist/, without its dependencies, and writes their types. Runs in the
 * folder of the package. Arguments: the entry points, e.g. `src/index.ts`.
 */
import { copyFileSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../', import.meta.url));
const entryPoints = process.argv.slice(2);
const { dependencies = {} } = JSON.parse(readFileSync('package.json', 'utf8'));
rmSync('dist', { recursive: true, force: true });
await build({
  ...{ entryPoints, outdir: 'dist', bundle: true, splitting: true, chunkNames: 'chunk-[hash]', logLevel: 'warning' },
  ...{ format: 'esm', target: 'es2022', platform: 'neutral', external: Object.keys(dependencies) },
});
const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root);
const emitted = { noEmit: false, declaration: true, emitDeclarationOnly: true, rootDir: root, outDir: 'dist/types' };
const program = ts.createProgram(entryPoints, { ...options, ...emitted });
const faults = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics];
if (faults.length > 0)
  throw new Error(
    ts.formatDiagnostics(faults, {
      ...ts.sys,
      getCanonicalFileName: (it) => it,
      getNewLine: () => '\n',
      getCurrentDirectory: () => root,
    }),
  );
copyFileSync(`${root}LICENSE`, 'dist/LICENSE');
