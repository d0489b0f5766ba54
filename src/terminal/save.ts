import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Writes a report and prints its path. Creates the folder if it does not exist. */
export async function save(path: string, content: string): Promise<void> {
  await mkdir(dirname(resolve(path)), { recursive: true });
  await writeFile(path, content);
  console.error(`Written: ${path}`);
}
