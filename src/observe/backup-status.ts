import { chmod, readFile, rename, writeFile } from 'node:fs/promises';

/** Records the end of a successful backup. Readers see the old or the new content, never a part of it. */
export async function recordBackup(file: string, completedAtMs: number): Promise<void> {
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify({ v: 1, completed_at: new Date(completedAtMs).toISOString() })}\n`);
  // The service may run as another user than `backup`. The file contains no secret.
  await chmod(temporary, 0o644);
  await rename(temporary, file);
}

/** Returns the time of the last backup, epoch ms. Undefined if there is no valid record. */
export async function readLastBackup(file: string): Promise<number | undefined> {
  try {
    const completedAtMs = Date.parse(JSON.parse(await readFile(file, 'utf8')).completed_at);
    return Number.isNaN(completedAtMs) ? undefined : completedAtMs;
  } catch {
    return undefined;
  }
}
