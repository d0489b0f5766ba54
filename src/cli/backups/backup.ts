import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Config } from '../../config/config.js';
import { buildKeyFilePath } from '../../config/secrets-key.js';
import { recordBackup } from '../../observe/probes.js';
import type { Recipient } from './age.js';
import { buildChecksumPath } from './checksum.js';
import { recordErasures } from './erasures.js';
import { buildBackupPath, removeUnfinished, deleteOldBackups } from './folder.js';
import { type WrittenBackup, writeBackup } from './write-backup.js';

/** Writes a backup to a file. `deleteOld` deletes earlier ones, and returns them. */
export async function backUpToFile(
  config: Config,
  file: string,
  recipient?: Recipient,
  deleteOld: () => string[] = () => [],
): Promise<void> {
  const written = await writeBackup(config, file, recipient);
  // Before the rotation: each remaining backup requires a record of the erasures since.
  await recordErasures(config, dirname(resolve(file)));
  const deleted = deleteOld();
  if (config.backupStatusFile !== undefined) await recordBackup(config.backupStatusFile, Date.now());
  describe(config, file, written);
  for (const old of deleted) console.log(`Deleted ${old}.`);
}

/**
 * Writes a backup to a folder, then deletes the oldest ones of this database beyond `keep`. Also deletes what ended
 * processes left unfinished.
 */
export async function backUpToFolder(
  config: Config,
  folder: string,
  keep: number | undefined,
  recipient: Recipient | undefined,
): Promise<void> {
  const { database } = config;
  requireFolder(folder);
  removeUnfinished(folder, database);
  const file = buildBackupPath(folder, database, Date.now(), recipient !== undefined);
  const deleteOld = () => (keep === undefined ? [] : deleteOldBackups(folder, database, file, keep));
  await backUpToFile(config, file, recipient, deleteOld);
}

/** Throws unless the folder exists. A missing folder is not created, because its disk may not be mounted. */
export function requireFolder(folder: string): void {
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw new Error(`there is no folder ${folder}: mount its disk, or create it`);
}

function describe({ database }: Config, file: string, { bytes, key, foreign }: WrittenBackup): void {
  const source = database.kind === 'sqlite' ? database.file : 'the database';
  const checked = database.kind === 'sqlite' ? ', integrity checked' : '';
  console.log(`Backed up ${source} to ${file} (${bytes} bytes${checked}), with ${buildChecksumPath(file)}.`);
  console.log(keyNotes[key](file));
  if (foreign !== undefined)
    console.error(
      `warning: the service did not create ${foreign}, and restore refuses it: drop it, then back up again`,
    );
}

const keyNotes: Readonly<Record<WrittenBackup['key'], (file: string) => string>> = {
  copied: (file) =>
    `Copied the secrets key to ${buildKeyFilePath(file)}. Store it apart from the copy: together they contain the webhook secrets.`,
  absent: () => 'There is no secrets key yet: the service creates it when it starts.',
  elsewhere: () =>
    'The copy contains no secrets key. Keep SECRETS_KEY: without it, the service does not start on the copy.',
};
