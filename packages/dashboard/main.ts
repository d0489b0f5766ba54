import { readFile } from 'node:fs/promises';
import { bundle, withCompressed } from '../docs/files.js';
import { dashboardPage } from './page.js';

// The files of dist/dashboard/. This file is bundled into dist/ before it runs, so that a deployment requires no
// TypeScript.
const root = new URL('../', import.meta.url);
export const files = await withCompressed(
  new Map<string, string | Uint8Array>([
    ['index.html', dashboardPage()],
    ['assets/icon.svg', await readFile(new URL('packages/docs/style/icon.svg', root))],
    ...(await bundle(new URL('packages/', root), [
      'dashboard/browser/start.ts',
      'dashboard/browser/main.ts',
      'ui/import/import-worker.ts',
      'dashboard/style/style.css',
    ])),
  ]),
);
