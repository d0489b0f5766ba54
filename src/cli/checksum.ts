import { createHash, createHmac, hkdfSync } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Readable } from 'node:stream';

/**
 * The checksum file of a backup. Its SHA-256 detects damage. Its HMAC, with a subkey of the secrets key, also detects a
 * changed backup whose SHA-256 was computed again.
 */

const keyBytes = 32;

export function checksumFile(backup: string): string {
  return `${backup}.checksum`;
}

/** Writes the checksum file of a backup. `file` holds the content of the backup. */
export async function writeChecksum(backup: string, file: string, secretsKey: string | undefined): Promise<void> {
  const [sha256, hmac] = await computeDigests(file, secretsKey === undefined ? [] : [secretsKey]);
  const lines = [`sha256 ${sha256}`, ...(hmac === undefined ? [] : [`hmac-sha256 ${hmac}`]), ''];
  writeFileSync(checksumFile(backup), lines.join('\n'), { mode: 0o600, flag: 'wx', flush: true });
}

/**
 * Rejects unless `file`, a copy of the backup, matches the checksum file. Returns false if its origin was not verified,
 * because there is no key.
 */
export async function verifyChecksum(backup: string, file: string, secretsKeys: readonly string[]): Promise<boolean> {
  const path = checksumFile(backup);
  const skip = 'or pass --unverified to restore the backup without this check';
  if (!existsSync(path))
    throw new Error(
      `${path} is missing: copy it together with the backup, ${skip}. Backups of earlier versions have none`,
    );
  const text = readFileSync(path, 'utf8');
  const [, sha256] = /^sha256 ([0-9a-f]{64})$/m.exec(text) ?? [];
  const [, hmac] = /^hmac-sha256 ([0-9a-f]{64})$/m.exec(text) ?? [];
  const [found, ...keyed] = await computeDigests(file, secretsKeys);
  if (found !== sha256) throw new Error(`${backup} does not match ${path}: it is damaged, so use another backup`);
  if (secretsKeys.length === 0) return false;
  if (hmac === undefined)
    throw new Error(
      `${path} was written without a secrets key, so anybody may have written it: use another backup, ${skip}`,
    );
  if (!keyed.includes(hmac))
    throw new Error(
      `${backup} was backed up with another secrets key, or changed: add the key of that time to SECRETS_KEY, ${skip}`,
    );
  return true;
}

/** Returns the SHA-256 of a file, and its HMAC with a subkey of each key, in hex. Reads the file once. */
async function computeDigests(file: string, secretsKeys: readonly string[]): Promise<readonly (string | undefined)[]> {
  const subkey = (key: string) => Buffer.from(hkdfSync('sha256', key, '', 'backups', keyBytes));
  const digests = [createHash('sha256'), ...secretsKeys.map((key) => createHmac('sha256', subkey(key)))];
  for await (const chunk of createReadStream(file) as Readable & AsyncIterable<Buffer>)
    for (const digest of digests) digest.update(chunk);
  return digests.map((digest) => digest.digest('hex'));
}
