import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Writes a report, making its folder, and says where it stands. */
export async function save(path: string, content: string): Promise<void> {
  await mkdir(dirname(resolve(path)), { recursive: true });
  await writeFile(path, content);
  console.error(`Written: ${path}`);
}
