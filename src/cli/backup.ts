import { copyFileSync, constants, existsSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../config/config.js';
import { findSecretsKeys, keyFileOf } from '../config/secrets-key.js';
import { recordBackup } from '../metrics/backup-status.js';
import { copySqlite, flush, removeSqlite } from '../store/sqlite-copy.js';
import { checksumFile, writeChecksum } from './checksum.js';
import { noDatabase } from './with-store.js';
import { dumpCommand, mysqlKeyNote } from './mysql-commands.js';

/**
 * Writes a copy of the embedded database, its checksum and its secrets key, and records its time. For MySQL, prints the command that dumps the
 * database.
 */
export async function backup(config: Config, file: string): Promise<void> {
  const { database, secretsKeys } = config;
  if (database.kind === 'mysql') {
    console.error(mysqlKeyNote);
    return console.log(dumpCommand(database.url, file, checksumFile(file)));
  }
  if (!existsSync(database.file)) throw new Error(noDatabase(database.file));
  for (const path of [file, checksumFile(file), keyFileOf(file)])
    if (existsSync(path)) throw new Error(`${path} exists already: choose another name`);
  const draft = `${file}.${process.pid}.partial`;
  try {
    const foreign = await copySqlite(database.file, draft);
    const [key] = findSecretsKeys(config) ?? [];
    await writeChecksum(file, draft, key);
    const hasKey = secretsKeys === undefined && existsSync(keyFileOf(database.file));
    if (hasKey) copyKey(keyFileOf(database.file), keyFileOf(file));
    renameSync(draft, file);
    flush(dirname(file));
    if (config.backupStatusFile !== undefined) await recordBackup(config.backupStatusFile, Date.now());
    console.log(
      `Backed up ${database.file} to ${file} (${statSync(file).size} bytes, integrity checked), with ${checksumFile(file)}.`,
    );
    console.log(hasKey ? keyCopied(file) : secretsKeys === undefined ? keyAbsent : keyElsewhere);
    if (foreign !== undefined)
      console.error(
        `warning: the service did not create ${foreign}, and restore refuses it: drop it, then back up again`,
      );
  } finally {
    removeSqlite(draft);
  }
}

function copyKey(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_EXCL);
  flush(to);
}

const keyCopied = (file: string) =>
  `Copied the secrets key to ${keyFileOf(file)}. Store it apart from the copy: together they contain the webhook secrets.`;
const keyAbsent = 'There is no secrets key yet: the service creates it when it starts.';
const keyElsewhere =
  'The copy contains no secrets key. Keep SECRETS_KEY: without it, the service does not start on the copy.';
