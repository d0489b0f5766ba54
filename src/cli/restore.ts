import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../config/config.js';
import { keyFileOf } from '../config/secrets-key.js';
import { checkCopy, closeLog, flush } from '../store/sqlite-copy.js';
import { loadCommand, mysqlKeyNote } from './mysql-commands.js';

export interface RestoreOptions {
  /** True to rename an existing database and keep it. */
  readonly replace: boolean;
}

/** Replaces the embedded database with a backup. For MySQL, prints the command that loads a dump. */
export async function restore({ database, secretsKeys }: Config, file: string, options: RestoreOptions): Promise<void> {
  if (database.kind === 'mysql') {
    console.error(mysqlKeyNote);
    return console.log(loadCommand(database.url, file));
  }
  if (!existsSync(file) || !statSync(file).isFile()) throw new Error(`there is no backup at ${file}`);
  if (existsSync(`${file}-wal`))
    throw new Error(`${file}-wal exists, so ${file} is a database and no backup: copy it with the command backup`);
  const target = database.file;
  await requireReplaceable(target, options);
  mkdirSync(dirname(target), { recursive: true });
  const draft = `${target}.${process.pid}.partial`;
  try {
    copyPrivately(file, draft);
    await checkCopy(draft).catch((error: Error) => Promise.reject(new Error(`${file}: ${error.message}`)));
    const hasKey = existsSync(keyFileOf(file));
    if (hasKey) copyPrivately(keyFileOf(file), keyFileOf(draft));
    flush(draft);
    // Also renames the log of the existing database, because SQLite would apply this log to the restored database.
    setAside([target, `${target}-wal`, `${target}-shm`, ...(hasKey ? [keyFileOf(target)] : [])]);
    if (hasKey) renameSync(keyFileOf(draft), keyFileOf(target));
    renameSync(draft, target);
    flush(dirname(target));
    console.log(
      `Restored ${file} to ${target} (integrity checked). Start the service: it updates the schema if needed.`,
    );
    if (!hasKey && secretsKeys === undefined) console.error(keyMissing(file));
  } finally {
    for (const path of [draft, keyFileOf(draft)]) rmSync(path, { force: true });
  }
}

async function requireReplaceable(target: string, { replace }: RestoreOptions): Promise<void> {
  if (!existsSync(target)) return;
  if (!replace) throw new Error(`${target} exists already: pass --replace, which keeps it under another name`);
  if (!(await closeLog(target))) throw new Error(`a process uses ${target}: stop the service and its workers first`);
}

/** Renames the existing files and prints the new names. */
function setAside(files: readonly string[]): void {
  const suffix = `replaced-${new Date().toISOString().replace(/\D/g, '').slice(0, 14)}`;
  for (const file of files.filter((it) => existsSync(it))) {
    renameSync(file, `${file}.${suffix}`);
    console.log(`Kept the earlier ${file} as ${file}.${suffix}.`);
  }
}

function copyPrivately(from: string, to: string): void {
  copyFileSync(from, to);
  chmodSync(to, 0o600);
}

const keyMissing = (file: string) =>
  `warning: ${keyFileOf(file)} is missing and SECRETS_KEY is not set. Unless the key beside the database is the same, ` +
  'rotate the secret of every webhook.';
