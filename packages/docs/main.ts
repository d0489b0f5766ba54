/**
 * `npm run docs`: builds the documentation in dist/docs/ from openapi.yaml, docs/ and the changelog, and the dashboard
 * in dist/dashboard/. `--server URL` builds a copy of the documentation for another host: samples and consoles then use
 * that URL.
 */
import { parseArgs } from 'node:util';
import { buildDashboard } from '../dashboard/build.js';
import { buildSite } from './build-site.js';

const { values } = parseArgs({ options: { server: { type: 'string' } } });
// This file is bundled into dist/ before it runs, so that a deployment requires no TypeScript.
const root = new URL('../', import.meta.url);
await buildSite(root, { server: values.server?.replace(/\/$/, '') });
await buildDashboard(root);
