import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { createErasedIdRecord, type StoredErasure } from '../store/erased-ids.js';
import type { Store } from '../store/store.js';

/**
 * A record of erasures outside of the database, so that a restored backup brings no erased person back. Each line has the
 * time of an erasure (epoch ms), the account, and the keyed digest of the erased id.
 */

/** Times of erasures in epoch ms, by account and digest. */
export type Erasures = Map<string, StoredErasure>;

const line = /^(\d{1,15}) ([\w-]{1,32}) ([0-9a-f]{32})$/;

/** Returns the record beside an embedded database. */
export function buildErasureFilePath(databaseFile: string): string {
  return `${databaseFile}.erased`;
}

/** Returns the record in a folder of backups. Databases may share it. */
export function buildSharedErasureFilePath(folder: string): string {
  return join(folder, 'state-service.erased');
}

/** Adds the erasures to the record, if none of them is newer there. */
export function addErasures(record: Erasures, erasures: Iterable<StoredErasure>): boolean {
  let hasChanged = false;
  for (const erasure of erasures) {
    const key = `${erasure.accountId} ${erasure.digest}`;
    if ((record.get(key)?.erasedAtMs ?? -1) >= erasure.erasedAtMs) continue;
    record.set(key, erasure);
    hasChanged = true;
  }
  return hasChanged;
}

/**
 * Reads a record. Empty if there is no such file. `damagedLines` is the number of lines that cannot be read, e.g. because
 * the disk was full.
 */
export function readErasures(file: string) {
  const erasures: Erasures = new Map();
  let damagedLines = 0;
  for (const text of readText(file).split('\n')) {
    const [, erasedAtMs, accountId, digest] = line.exec(text) ?? [];
    if (digest !== undefined && accountId !== undefined)
      addErasures(erasures, [{ accountId, digest, erasedAtMs: Number(erasedAtMs) }]);
    else if (text !== '') damagedLines += 1;
  }
  return { erasures, damagedLines };
}

/** Appends erasures to a record. Returns when they are on disk. */
export function appendErasures(file: string, erasures: readonly StoredErasure[]): void {
  // Begins with a line break, because a full disk may have cut the last line.
  write(file, 'a', `\n${format(erasures)}`);
}

/** Adds the erasures of the database to a record, and removes those before `sinceMs`. */
export async function saveErasures(store: Store, file: string, sinceMs: number): Promise<void> {
  const { erasures, damagedLines } = readErasures(file);
  let hasChanged = damagedLines > 0;
  for await (const page of store.iterate((knex) => createErasedIdRecord(knex).since(sinceMs)))
    hasChanged = addErasures(erasures, page) || hasChanged;
  const kept = [...erasures.values()].filter((it) => it.erasedAtMs >= sinceMs);
  if (!hasChanged && kept.length === erasures.size) return;
  writeErasures(file, kept);
}

const failed = 'erasures not recorded beside the database: a restore requires them if the database is lost';

/**
 * Brings the record of erasures beside an embedded database up to date. Returns a function that adds erasures. MySQL has
 * no such file: `backup` records its erasures in the folder of backups.
 */
export async function openErasureRecord(
  store: Store,
  { database, retention }: Pick<Config, 'database' | 'retention'>,
  log: Logger,
): Promise<((erasures: readonly StoredErasure[]) => void) | undefined> {
  if (database.kind !== 'sqlite') return undefined;
  const file = buildErasureFilePath(database.file);
  await saveErasures(store, file, Date.now() - retention.erasuresMs).catch((error: unknown) =>
    log.warn({ err: error }, failed),
  );
  return (erasures) => {
    try {
      appendErasures(file, erasures);
    } catch (error) {
      log.warn({ err: error }, failed);
    }
  };
}

/** Replaces a record. Readers see the old or the new content, never a part of it. */
export function writeErasures(file: string, erasures: readonly StoredErasure[]): void {
  const draft = `${file}.${process.pid}`;
  write(draft, 'w', format(erasures));
  renameSync(draft, file);
}

function format(erasures: readonly StoredErasure[]): string {
  return erasures.map((it) => `${it.erasedAtMs} ${it.accountId} ${it.digest}\n`).join('');
}

function write(file: string, flag: 'a' | 'w', text: string): void {
  writeFileSync(file, text, { flag, mode: 0o600, flush: true });
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return '';
    throw error;
  }
}
