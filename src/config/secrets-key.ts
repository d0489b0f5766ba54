import { createHash, randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from './config.js';

const keyBytes = 32;

/**
 * Returns the key that protects secrets against readers of the database, which never stores it. Uses the first of
 * these: SECRETS_KEY; with an embedded database, a file beside it that only its owner can read; with MySQL, a key
 * derived from DATABASE_URL, which contains the password and is the same on every replica.
 */
export function secretsKeyOf({ secretsKey, database }: Config): string {
  if (secretsKey !== undefined) return secretsKey;
  if (database.kind === 'mysql') return createHash('sha256').update(database.url).digest('hex');
  return keyBeside(database.file);
}

/**
 * Reads the key file, or creates it. When two processes start together, the first one to link its file wins. Both read
 * a complete file.
 */
function keyBeside(databaseFile: string): string {
  const file = `${databaseFile}.key`;
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
