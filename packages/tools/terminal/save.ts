import { mkdir, open, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Writes a report and prints its path. Creates the folder if it does not exist. With `option`, rejects with an error that
 * names this option of the command.
 */
export async function save(path: string, content: string, option?: string): Promise<void> {
  try {
    await mkdir(dirname(resolve(path)), { recursive: true });
    await writeFile(path, content);
  } catch (error) {
    throw option === undefined ? error : unwritable(option, path, error as NodeJS.ErrnoException);
  }
  console.error(`Written: ${path}`);
}

/**
 * Rejects with an error that names the option and the remedy if the file cannot be written. Commands call this function
 * before they start, so that no work is lost. Creates the folder if it does not exist. Does not change the file.
 */
export async function requireWritable(option: string, path: string): Promise<void> {
  try {
    await mkdir(dirname(resolve(path)), { recursive: true });
    const found = await stat(path).catch(() => undefined);
    // Opening a pipe would wait for its reader.
    if (found && !found.isFile() && !found.isDirectory()) return;
    await (await open(path, 'a')).close();
    if (!found) await rm(path);
  } catch (error) {
    throw unwritable(option, path, error as NodeJS.ErrnoException);
  }
}

const remedies: Readonly<Record<string, string>> = {
  EACCES: 'permission denied. Choose another path, or allow this user to write there',
  EDQUOT: 'the disk quota is used up. Free some space, or choose another disk',
  EEXIST: 'a part of the path is a file. Choose another path',
  EISDIR: 'it is a folder. Add a file name',
  ENOSPC: 'the disk is full. Free some space, or choose another disk',
  ENOTDIR: 'a part of the path is a file. Choose another path',
  EPERM: 'permission denied. Choose another path, or allow this user to write there',
  EROFS: 'the file system is read-only. Choose another path',
};

/** Returns the error of a file that cannot be written. */
export function unwritable(option: string, path: string, { code = '', message }: NodeJS.ErrnoException): Error {
  return new Error(`cannot write ${option} ${path}: ${remedies[code] ?? message}`);
}
