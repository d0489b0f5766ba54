import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { owe } from '../../../contract-tests/support/owed.js';

/** A file system of a few megabytes in memory. */
export interface SmallDisk {
  readonly folder: string;
  /** Fills the disk completely. */
  fill(): void;
  /** Deletes the files of `fill`. */
  free(): void;
  remove(): Promise<void>;
}

const blockBytes = 65_536;

/** Mounts a tmpfs, which requires root. */
export function mountSmallDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'small-disk-'));
  const filler = join(folder, 'filler');
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=777`, 'tmpfs', folder]);
  return {
    folder,
    fill: () => fillUp(filler),
    free: () => rmSync(filler, { force: true }),
    remove: owe(async () => {
      execFileSync('umount', ['--lazy', folder]);
      rmSync(folder, { recursive: true, force: true });
    }),
  };
}

/** Writes blocks, then single bytes, until the disk is full. */
function fillUp(path: string): void {
  const file = openSync(path, 'a');
  try {
    for (let bytes = blockBytes; bytes >= 1;)
      try {
        if (writeSync(file, Buffer.alloc(bytes)) < bytes) bytes = Math.floor(bytes / 2);
      } catch (error) {
        if ((error as { code?: string }).code !== 'ENOSPC') throw error;
        bytes = Math.floor(bytes / 2);
      }
  } finally {
    closeSync(file);
  }
}
