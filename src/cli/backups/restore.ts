import { randomBytes } from 'node:crypto';
import {
  createWriteStream,
  existsSync,
  lchownSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../../config/config.js';
import { buildKeyFilePath } from '../../config/secrets-key.js';
import type { Erasures } from '../../retention/erasure-file.js';
import { mergeWriteAheadLog, flush, removeSqlite } from '../../store/sqlite-copy.js';
import { applyErasures, collectErasures, saveRecord } from './erasures.js';
import { buildDraftPath } from './folder.js';
import { inspectCopy, inspectDump } from './inspect.js';
import { emptyDatabase, hasTables } from './mysql-database.js';
import { findServer } from './mysql-programs.js';
import {
  type FoundBackup,
  findBackup,
  loadBackup,
  readBackup,
  readIdentityFile,
  type ReadOptions,
} from './read-backup.js';

export interface RestoreOptions {
  readonly replace: boolean;
  readonly unverified: boolean;
  readonly key?: string | undefined;
}

interface Restoring {
  readonly config: Config;
  readonly backup: FoundBackup;
  readonly options: ReadOptions & Pick<RestoreOptions, 'replace'>;
}

/** Replaces the database with a backup, and erases the people again who were erased since the backup. */
export async function restore(
  config: Config,
  file: string,
  { replace, unverified, key }: RestoreOptions,
): Promise<void> {
  const options = { replace, unverified, identities: await readIdentityFile(key) };
  const backup = await findBackup(config, file, options);
  const restoring = { config, backup, options };
  await (config.database.kind === 'sqlite' ? restoreSqlite(restoring, config.database.file) : restoreMysql(restoring));
}

async function restoreSqlite({ config, backup, options }: Restoring, target: string): Promise<void> {
  const { file, key } = backup;
  await requireReplaceable(target, options.replace);
  const erasures = await collectErasures(config, file, existsSync(target));
  mkdirSync(dirname(target), { recursive: true });
  const draft = buildDraftPath(target);
  try {
    const origin = await readBackup(backup, options, createWriteStream(draft, { mode: 0o600, flags: 'wx' }));
    await inspectCopy(file, draft);
    const erased = await eraseAgain({ config, backup, options }, draft, erasures);
    if (key !== undefined) writeFileSync(buildKeyFilePath(draft), key, { mode: 0o600, flush: true });
    for (const made of key === undefined ? [draft] : [draft, buildKeyFilePath(draft)]) giveToOwnerOfFolder(made);
    flush(draft);
    // Also renames the log of the existing database, because SQLite would apply this log to the restored database.
    setAside(target, ['', '-wal', '-shm', ...(key === undefined ? [] : [buildKeyFilePath('')])]);
    if (key !== undefined) renameSync(buildKeyFilePath(draft), buildKeyFilePath(target));
    renameSync(draft, target);
    flush(dirname(target));
    console.log(
      `Restored ${file} to ${target} (integrity checked, ${origin}). Start the service: it updates the schema if needed.`,
    );
    console.log(erased);
    if (key === undefined && config.secretsKeys === undefined) console.error(keyMissing(file));
  } finally {
    removeSqlite(draft);
    rmSync(buildKeyFilePath(draft), { force: true });
  }
}

/** Reads the whole backup first, so that a backup that is damaged or not usable changes nothing. */
async function restoreMysql({ config, backup, options }: Restoring): Promise<void> {
  const server = await findServer(config);
  const isUsed = await hasTables(server.url);
  if (isUsed && !options.replace)
    throw new Error('the database contains tables already: pass --replace, which deletes all of them');
  const { origin } = await inspectDump(backup, options);
  const erasures = await collectErasures(config, backup.file, isUsed);
  // A second `restore` after a failed one requires the erasures of the tables that are deleted now.
  if (isUsed) saveRecord(backup.file, erasures);
  if (isUsed) await emptyDatabase(server.url);
  await loadBackup(backup, options, server);
  const erased = await eraseAgain({ config, backup, options }, undefined, erasures);
  console.log(`Restored ${backup.file} (${origin}). Start the service: it updates the schema if needed.`);
  console.log(erased);
}

/** A service with its own user could not open a file of root. */
function giveToOwnerOfFolder(file: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(file));
  lchownSync(file, uid, gid);
}

/** `draft` is the restored file of an embedded database. */
function eraseAgain({ config, backup, options }: Restoring, draft: string | undefined, erasures: Erasures) {
  const database = draft === undefined ? config.database : { kind: 'sqlite' as const, file: draft };
  return applyErasures({ database, secretsKeys: backup.allKeys, isKeyLost: options.unverified }, erasures);
}

async function requireReplaceable(target: string, replace: boolean): Promise<void> {
  if (!existsSync(target)) return;
  if (!replace) throw new Error(`${target} exists already: pass --replace, which keeps it under another name`);
  if (!(await mergeWriteAheadLog(target)))
    throw new Error(`a process uses ${target}: stop the service and its workers first`);
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
  if (used !== undefined) throw new Error(`${used} exists already: wait a second and run the command again`);
  for (const ending of existing) {
    renameSync(database + ending, kept + ending);
    console.log(`Kept the earlier ${database}${ending} as ${kept}${ending}.`);
  }
}

const keyMissing = (file: string) =>
  `warning: ${buildKeyFilePath(file)} is missing and SECRETS_KEY is not set. Unless the key beside the database is the same, ` +
  'the service does not start on it: see "A key that does not fit" in the guide Backup.';
