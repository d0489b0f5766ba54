import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Contents of the site's files, by path. */
export type SiteFiles = ReadonlyMap<string, string | Uint8Array>;

/**
 * Makes a folder contain exactly these files. A service may serve the folder at the same time. An unchanged file keeps
 * its entity tag. A changed file is replaced atomically.
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

/**
 * Replaces a file. The new file is written next to the folder, because another process that builds the same site may
 * delete unknown files in the folder.
 */
async function replace(file: string, content: Buffer, root: string): Promise<void> {
  const present = await readFile(file).catch(() => undefined);
  if (present?.equals(content)) return;
  const fresh = join(root, '..', `docs-${randomUUID()}`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(fresh, content);
  await rename(fresh, file);
}
