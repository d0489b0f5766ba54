import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from './config.js';

const keyBytes = 32;

/**
 * The key of everything that is kept secret from a copy of the database, so it never stands in the database itself:
 * SECRETS_KEY; else a file beside an embedded database, for its owner alone; else, with MySQL, derived from
 * DATABASE_URL, which holds the password and is the same on every replica.
 */
export function secretsKeyOf({ secretsKey, database }: Config): string {
  if (secretsKey !== undefined) return secretsKey;
  if (database.kind === 'mysql') return createHash('sha256').update(database.url).digest('hex');
  return keyBeside(database.file);
}

function keyBeside(databaseFile: string): string {
  const file = `${databaseFile}.key`;
  mkdirSync(dirname(file), { recursive: true });
  if (!existsSync(file)) writeFileSync(file, randomBytes(keyBytes).toString('hex'), { mode: 0o600, flag: 'wx' });
  return readFileSync(file, 'utf8');
}
