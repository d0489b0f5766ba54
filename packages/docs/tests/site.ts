import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../../../testkit/service.js';

const folder = fileURLToPath(new URL('dist/docs/', root));

/** Returns every file of the site by path, without the compressed copies. The site is built before the tests. */
export async function siteFiles(): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((it) => it.isFile() && !/\.(br|gz)$/.test(it.name));
  const paths = files.map((it) => relative(folder, join(it.parentPath, it.name)));
  return new Map(await Promise.all(paths.map(async (it) => [it, await readFile(join(folder, it), 'utf8')] as const)));
}

/** Returns the addresses of the pages, relative to the site. The address of the first page is ''. */
export async function pageAddresses(): Promise<string[]> {
  const paths = [...(await siteFiles()).keys()].filter((it) => it.endsWith('index.html'));
  return paths.map((it) => it.slice(0, -'index.html'.length));
}
