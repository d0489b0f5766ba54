/** Fails if modules import each other at run time. Imports of types do not count, because esbuild removes them. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const entryPoints = [
  ...['src/program.ts', 'packages/client/src/index.ts', 'packages/client/src/ai-sdk.ts'],
  ...['packages/docs/main.ts', 'packages/docs/browser/main.ts'],
  ...['packages/dashboard/main.ts', 'packages/dashboard/browser/main.ts'],
  ...['packages/person/main.ts', 'packages/person/browser/main.ts'],
];
const { metafile } = await build({
  absWorkingDir: fileURLToPath(new URL('../../', import.meta.url)),
  entryPoints,
  outdir: 'dist',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  metafile: true,
  write: false,
});

const finished = new Set();
const cycles = [];

/** Visits a module and what it imports. `path` contains the modules that lead to it. */
function visit(module, path) {
  const start = path.indexOf(module);
  if (start >= 0) cycles.push([...path.slice(start), module]);
  if (start >= 0 || finished.has(module)) return;
  // A call of `import()` runs later, when both modules have loaded.
  const imported = metafile.inputs[module].imports.filter((it) => !it.external && it.kind === 'import-statement');
  for (const it of imported) visit(it.path, [...path, module]);
  finished.add(module);
}

for (const module of Object.keys(metafile.inputs)) visit(module, []);
for (const cycle of cycles) console.error(`cycle: ${cycle.join(' → ')}`);
if (cycles.length > 0) process.exitCode = 1;
