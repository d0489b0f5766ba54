import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Writes a report, creates its folder if needed, and prints its path. */
export async function save(path: string, content: string): Promise<void> {
  await mkdir(dirname(resolve(path)), { recursive: true });
  await writeFile(path, content);
  console.error(`Written: ${path}`);
}
