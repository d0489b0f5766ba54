/**
 * `npm run docs`: builds the documentation in dist/docs/, the dashboard in dist/dashboard/ and the page of a person in dist/person/. `--server URL` builds a
 * copy of the documentation for another host.
 */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { stampBuild } from './build-changed.mjs';

const beganAt = new Date();
const root = new URL('../../', import.meta.url);
const sites = ['docs', 'dashboard', 'person'];

// The programs that build the sites are bundled first, so that a deployment requires no TypeScript.
await build({
  absWorkingDir: fileURLToPath(root),
  entryPoints: Object.fromEntries(sites.map((site) => [`build-${site}`, `packages/${site}/main.ts`])),
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  logLevel: 'warning',
});
for (const site of sites) await import(new URL(`dist/build-${site}.js`, root).href);
// A copy for another host is replaced by the next start.
stampBuild('documentation', process.argv.includes('--server') ? undefined : beganAt);
