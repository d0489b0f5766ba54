import { randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../config/config.js';
import { keyFileOf, readKeyFile } from '../config/secrets-key.js';
import { checkCopy, closeLog, flush, removeSqlite } from '../store/sqlite-copy.js';
import { checksumFile, verifyChecksum } from './checksum.js';
import { loadCommand, mysqlKeyNote } from './mysql-commands.js';

export interface RestoreOptions {
  /** True to rename an existing database and keep it. */
  readonly replace: boolean;
  /** True to restore a backup without its checksum. */
  readonly unverified: boolean;
}

/** Replaces the embedded database with a backup. For MySQL, prints the command that loads a dump. */
export async function restore(config: Config, file: string, options: RestoreOptions): Promise<void> {
  const { database, secretsKeys } = config;
  if (database.kind === 'mysql') {
    console.error(mysqlKeyNote);
    return console.log(loadCommand(database.url, file, options.unverified ? undefined : checksumFile(file)));
  }
  if (!existsSync(file) || !statSync(file).isFile()) throw new Error(`there is no backup at ${file}`);
  if (existsSync(`${file}-wal`))
    throw new Error(`${file}-wal exists, so ${file} is a database, not a backup: copy it with the command backup`);
  const target = database.file;
  await requireReplaceable(target, options);
  mkdirSync(dirname(target), { recursive: true });
  const draft = `${target}.${process.pid}.partial`;
  try {
    copyPrivately(file, draft);
    const origin = options.unverified ? 'checksum skipped' : await verify(config, file, draft);
    await requireIntact(draft).catch((error: Error) => Promise.reject(new Error(`${file}: ${error.message}`)));
    const hasKey = existsSync(keyFileOf(file));
    if (hasKey) copyPrivately(keyFileOf(file), keyFileOf(draft));
    flush(draft);
    // Also renames the log of the existing database, because SQLite would apply this log to the restored database.
    setAside(target, ['', '-wal', '-shm', ...(hasKey ? [keyFileOf('')] : [])]);
    if (hasKey) renameSync(keyFileOf(draft), keyFileOf(target));
    renameSync(draft, target);
    flush(dirname(target));
    console.log(
      `Restored ${file} to ${target} (integrity checked, ${origin}). Start the service: it updates the schema if needed.`,
    );
    if (!hasKey && secretsKeys === undefined) console.error(keyMissing(file));
  } finally {
    removeSqlite(draft);
    rmSync(keyFileOf(draft), { force: true });
  }
}

/** Verifies the checksum of a backup with SECRETS_KEY, or else with the key beside the backup or the database. */
async function verify({ database, secretsKeys }: Config, file: string, draft: string): Promise<string> {
  const beside = [file, ...(database.kind === 'sqlite' ? [database.file] : [])].map(keyFileOf).find(existsSync);
  const keys = secretsKeys ?? (beside === undefined ? [] : [readKeyFile(beside)]);
  const isOriginKnown = await verifyChecksum(file, draft, keys);
  return isOriginKnown ? 'checksum verified' : 'checksum verified without a secrets key';
}

async function requireIntact(draft: string): Promise<void> {
  const foreign = await checkCopy(draft);
  if (foreign !== undefined)
    throw new Error(
      `this service did not create ${foreign}, which may have been added to the backup: use another backup`,
    );
}

async function requireReplaceable(target: string, { replace }: RestoreOptions): Promise<void> {
  if (!existsSync(target)) return;
  if (!replace) throw new Error(`${target} exists already: pass --replace, which keeps it under another name`);
  if (!(await closeLog(target))) throw new Error(`a process uses ${target}: stop the service and its workers first`);
}

/**
 * Renames the existing database and its files, and prints the new name. The names of its log and key fit the new name, so
 * that the database stays usable.
 */
function setAside(database: string, endings: readonly string[]): void {
  const time = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const kept = `${database}.replaced-${time}-${randomBytes(4).toString('hex')}`;
  const existing = endings.filter((ending) => existsSync(database + ending));
  // `renameSync` would overwrite a file.
  const used = existing.map((ending) => kept + ending).find((file) => existsSync(file));
  if (used !== undefined) throw new Error(`${used} exists already: run the command again`);
  for (const ending of existing) {
    renameSync(database + ending, kept + ending);
    console.log(`Kept the earlier ${database}${ending} as ${kept}${ending}.`);
  }
}

function copyPrivately(from: string, to: string): void {
  copyFileSync(from, to);
  chmodSync(to, 0o600);
}

const keyMissing = (file: string) =>
  `warning: ${keyFileOf(file)} is missing and SECRETS_KEY is not set. Unless the key beside the database is the same, ` +
  'the service does not start on it: see "Restore without the key" in the guide Operations.';
