/**
 * `npm run docs`: builds the documentation in dist/docs/, the dashboard in dist/dashboard/ and the page of a person in dist/person/. `--server URL` builds a
 * copy of the documentation for another host.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { stampBuild } from './build-changed.mjs';
import { deleteOthers, replaceFiles, toEntries } from './replace-files.mjs';

const beganAt = new Date();
const root = new URL('../../', import.meta.url);
const dist = fileURLToPath(new URL('dist/', root));
const sites = ['docs', 'dashboard', 'person'];

// The programs that build the sites are bundled first, so that a deployment requires no TypeScript.
const { outputFiles } = await build({
  absWorkingDir: fileURLToPath(root),
  entryPoints: Object.fromEntries(sites.map((site) => [`build-${site}`, `packages/${site}/main.ts`])),
  outdir: 'dist',
  bundle: true,
  write: false,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  logLevel: 'warning',
});
await replaceFiles(dist, toEntries(outputFiles, dist));
const built = await Promise.all(
  sites.map(async (site) => {
    const { files } = await import(new URL(`dist/build-${site}.js`, root).href);
    return [...files].map(([path, content]) => [join(site, path), content]);
  }),
);
const files = new Map(built.flat());
await replaceFiles(dist, files);
for (const site of sites) await deleteOthers(dist, site, files);
// A copy for another host is replaced by the next start.
stampBuild('documentation', process.argv.includes('--server') ? undefined : beganAt);
