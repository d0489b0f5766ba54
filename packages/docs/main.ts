/**
 * The files of dist/docs/, built from openapi.yaml, docs/ and the changelog. `--server URL` builds a copy for
 * another host: samples and consoles then use that URL.
 */
import { parseArgs } from 'node:util';
import { listFiles } from './build-site.js';
import { withCompressed } from './files.js';

const { values } = parseArgs({ options: { server: { type: 'string' } } });
// This file is bundled into dist/ before it runs, so that a deployment requires no TypeScript.
const site = { server: values.server?.replace(/\/$/, '') };
export const files = await withCompressed(await listFiles(new URL('../', import.meta.url), site));
