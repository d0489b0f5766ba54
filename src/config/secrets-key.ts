import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { deriveKey } from '../contract/derive-key.js';
import type { Config, SecretsKeys } from './config.js';

/**
 * The keys that protect secrets from readers of the database. The first key protects new secrets, and the others only
 * read older ones. They are in SECRETS_KEY. Without it, an embedded database uses a file in its folder that only its
 * owner can read. The database contains only a check value of the first key.
 */

const keyBytes = 32;

/**
 * Returns the keys. Undefined if an embedded database has no key file yet. Throws on MySQL without SECRETS_KEY.
 */
export function findSecretsKeys({ secretsKeys, database }: Config): SecretsKeys | undefined {
  if (database.kind === 'sqlite') {
    const file = buildKeyFilePath(database.file);
    return secretsKeys ?? (existsSync(file) ? [readKeyFile(file)] : undefined);
  }
  if (secretsKeys === undefined)
    throw new Error('it is required with MySQL: create a key with "openssl rand -hex 32" and set it on every process');
  return secretsKeys;
}

/** Returns the keys. Throws like `findSecretsKeys`, and if the key file of an embedded database is missing. */
export function requireSecretsKeys(config: Config): SecretsKeys {
  const keys = findSecretsKeys(config);
  if (keys === undefined && config.database.kind === 'sqlite')
    throw new Error(
      `the database was used with another key, and ${buildKeyFilePath(config.database.file)} is missing: restore this file, ` +
        'or set SECRETS_KEY',
    );
  return keys as SecretsKeys;
}

/** Returns a value that shows whether two processes use the same key, but not the key: 64 hex digits. */
export function computeCheckValue(secretsKey: string): string {
  return deriveKey(secretsKey, 'check value').toString('hex');
}

export function buildKeyFilePath(databaseFile: string): string {
  return `${databaseFile}.key`;
}

/**
 * Creates the key file of an embedded database and returns its key. When two processes start together, the first one to
 * link its file wins. Both then read the same complete file.
 */
export function createKeyFile(databaseFile: string): string {
  const file = buildKeyFilePath(databaseFile);
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, randomBytes(keyBytes).toString('hex'), { mode: 0o600 });
  linkUnlessThere(draft, file);
  unlinkSync(draft);
  return readKeyFile(file);
}

export function readKeyFile(file: string): string {
  return readKey(readFileSync(file, 'utf8'), file);
}

export function readKey(text: string, file: string): string {
  const key = text.trim();
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
