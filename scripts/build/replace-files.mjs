import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

/**
 * Makes files of a folder have these contents, by relative path. Writes all of them beside before it renames the first one:
 * an interrupted build leaves the earlier files, and a process that runs them or a hard-linked copy keeps its content.
 * Renames in the order of the files, so a file must follow those that it loads. An unchanged file stays.
 */
export async function replaceFiles(folder, files) {
  await mkdir(folder, { recursive: true });
  const beside = await mkdtemp(join(folder, '.new-'));
  try {
    const changed = [];
    for (const [path, content] of files) if (await writeChanged(path, content)) changed.push(path);
    for (const path of changed) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await rename(join(beside, path), join(folder, path));
    }
  } finally {
    await rm(beside, { recursive: true, force: true });
  }

  async function writeChanged(path, content) {
    const bytes = Buffer.from(content);
    const present = await readFile(join(folder, path)).catch(() => undefined);
    if (present?.equals(bytes)) return false;
    await mkdir(dirname(join(beside, path)), { recursive: true });
    await writeFile(join(beside, path), bytes);
    return true;
  }
}

/** Deletes the files in a subfolder that are not among these. */
export async function deleteOthers(folder, subfolder, files) {
  const root = join(folder, subfolder);
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((it) => it.isFile()).map((it) => relative(folder, join(it.parentPath, it.name)));
  await Promise.all(paths.filter((it) => !files.has(it)).map((it) => rm(join(folder, it), { force: true })));
}

/** Returns the output files of esbuild by their path relative to a folder. */
export function toEntries(outputFiles, folder) {
  return outputFiles.map(({ path, contents }) => [relative(folder, path), contents]);
}
