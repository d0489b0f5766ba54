import { createHash, randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config, SecretsKeys } from './config.js';

const keyBytes = 32;

/**
 * Returns the keys that protect secrets from readers of the database. The database never contains them. The first key
 * protects new secrets, and the others only read older ones. The first available source is used:
 * 1. SECRETS_KEY
 * 2. with an embedded database, a file in its folder that only its owner can read
 * 3. with MySQL, a key derived from DATABASE_URL, which contains the password and is the same on every replica
 */
export function secretsKeysOf({ secretsKeys, database }: Config): SecretsKeys {
  if (secretsKeys !== undefined) return secretsKeys;
  if (database.kind === 'mysql') return [createHash('sha256').update(database.url).digest('hex')];
  return [keyBeside(database.file)];
}

/** Returns the file that holds the key of an embedded database. */
export function keyFileOf(databaseFile: string): string {
  return `${databaseFile}.key`;
}

/**
 * Reads the key file, or creates it. When two processes start together, the first one to link its file wins. Both then
 * read the same complete file.
 */
function keyBeside(databaseFile: string): string {
  const file = keyFileOf(databaseFile);
  mkdirSync(dirname(file), { recursive: true });
  if (!existsSync(file)) {
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, randomBytes(keyBytes).toString('hex'), { mode: 0o600 });
    linkUnlessThere(draft, file);
    unlinkSync(draft);
  }
  const key = readFileSync(file, 'utf8').trim();
  if (!/^[0-9a-f]{64}$/.test(key))
    throw new Error(
      `${file} is damaged: restore it from a backup, or delete it and lose the webhook secrets it protects`,
    );
  return key;
}

function linkUnlessThere(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
  }
}
