import { readFile } from 'node:fs/promises';
import { bundle, withCompressed } from '../docs/files.js';
import { iconSizes } from './icon-sizes.js';
import { manifest, personPage } from './page.js';

// The files of dist/person/. This file is bundled into dist/ before it runs, as that of the dashboard.
const root = new URL('../', import.meta.url);
const iconOf = async (size: number) =>
  [`assets/icon-${size}.png`, await readFile(new URL(`packages/person/style/icon-${size}.png`, root))] as const;
export const files = await withCompressed(
  new Map<string, string | Uint8Array>([
    ...(await Promise.all(iconSizes.map(iconOf))),
    ['index.html', personPage()],
    ['manifest.webmanifest', manifest()],
    ['assets/icon.svg', await readFile(new URL('packages/docs/style/icon.svg', root))],
    ...(await bundle(new URL('packages/', root), [
      'docs/browser/theme.ts',
      'person/browser/main.ts',
      'ui/import/import-worker.ts',
      'person/style/style.css',
    ])),
  ]),
);
