import { readdir } from 'node:fs/promises';
import { runScript } from '../testkit/process.js';
import { temporaryFolder } from '../testkit/temporary-folder.js';

/** Time limit of a test that runs a measurement, ms. A busy machine takes up to this time. */
export const limitMs = 240_000;

/** Runs a script of this folder. Also returns the folder of its temporary files, and the files that it left there. */
export async function runLab(script: string, ...args: readonly string[]) {
  const folder = await temporaryFolder();
  const ended = await runScript(`lab/${script}`, args, { TMPDIR: folder });
  // The cache of tsx remains.
  const left = (await readdir(folder)).filter((name) => !name.startsWith('tsx-'));
  return { ...ended, folder, left };
}
