/**
 * `npm run docs`: builds the documentation under dist/docs/, from openapi.yaml, docs/ and the changelog. `--server URL`
 * is for a copy that is served elsewhere than by the service: samples and consoles then name that address.
 */
import { parseArgs } from 'node:util';
import { buildSite } from './build-site.js';

const { values } = parseArgs({ options: { server: { type: 'string' } } });
// Bundled into dist/ before it runs, so that a deployment needs no TypeScript.
await buildSite(new URL('../', import.meta.url), { server: values.server?.replace(/\/$/, '') });
