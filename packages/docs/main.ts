/**
 * Builds the documentation in dist/docs/ from openapi.yaml, docs/ and the changelog. `--server URL` builds a copy for
 * another host: samples and consoles then use that URL.
 */
import { parseArgs } from 'node:util';
import { buildSite } from './build-site.js';

const { values } = parseArgs({ options: { server: { type: 'string' } } });
// This file is bundled into dist/ before it runs, so that a deployment requires no TypeScript.
await buildSite(new URL('../', import.meta.url), { server: values.server?.replace(/\/$/, '') });
