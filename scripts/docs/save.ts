import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What a site consists of, by path in it. */
export type SiteFiles = ReadonlyMap<string, string | Uint8Array>;

/**
 * Makes a folder hold these files and no others. A service may be serving it: what has not changed is not touched, and
 * keeps its entity tag; what has is replaced as a whole.
 */
export async function save(files: SiteFiles, folder: URL): Promise<void> {
  const root = fileURLToPath(folder);
  const present = await pathsIn(root);
  await Promise.all(present.filter((path) => !files.has(path)).map((path) => rm(join(root, path), { force: true })));
  await Promise.all([...files].map(([path, content]) => replace(join(root, path), Buffer.from(content), root)));
}

async function pathsIn(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((it) => it.isFile()).map((it) => relative(root, join(it.parentPath, it.name)));
}

/** Written beside the folder first: another process may be making the same site, and removes what is not part of it. */
async function replace(file: string, content: Buffer, root: string): Promise<void> {
  const present = await readFile(file).catch(() => undefined);
  if (present?.equals(content)) return;
  const fresh = join(root, '..', `docs-${randomUUID()}`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(fresh, content);
  await rename(fresh, file);
}
