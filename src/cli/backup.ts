import { copyFileSync, constants, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../config/config.js';
import { keyFileOf } from '../config/secrets-key.js';
import { copySqlite, flush } from '../store/sqlite-copy.js';
import { dumpCommand, mysqlKeyNote } from './mysql-commands.js';

/** Writes a copy of the embedded database and its secrets key. For MySQL, prints the command that dumps the database. */
export async function backup({ database, secretsKeys }: Config, file: string): Promise<void> {
  if (database.kind === 'mysql') {
    console.error(mysqlKeyNote);
    return console.log(dumpCommand(database.url, file));
  }
  if (!existsSync(database.file)) throw new Error(`there is no database at ${database.file}: set DATABASE_URL`);
  for (const path of [file, keyFileOf(file)])
    if (existsSync(path)) throw new Error(`${path} exists already: choose another name`);
  const draft = `${file}.${process.pid}.partial`;
  try {
    await copySqlite(database.file, draft);
    const hasKey = secretsKeys === undefined && existsSync(keyFileOf(database.file));
    if (hasKey) copyKey(keyFileOf(database.file), keyFileOf(file));
    renameSync(draft, file);
    flush(dirname(file));
    console.log(`Backed up ${database.file} to ${file} (${statSync(file).size} bytes, integrity checked).`);
    console.log(hasKey ? keyCopied(file) : secretsKeys === undefined ? keyAbsent : keyElsewhere);
  } finally {
    rmSync(draft, { force: true });
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
  'The copy contains no secrets key. Keep SECRETS_KEY: without it, the webhook secrets in the copy cannot be read.';
