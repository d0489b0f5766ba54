import { createHash, createHmac } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { deriveKey } from '../../contract/derive-key.js';
import type { Bytes } from './age.js';

/**
 * The checksum file of a backup. Its SHA-256 detects damage. Its HMAC, with a subkey of the secrets key, also detects a
 * changed backup whose SHA-256 was computed again.
 */

const skip = 'or pass --unverified to restore the backup without this check';

export type RowCounts = ReadonlyMap<string, number>;

export function buildChecksumPath(backup: string): string {
  return `${backup}.checksum`;
}

/** Writes the checksum file of a backup. `file` holds the content of the backup. */
export async function writeChecksum(
  backup: string,
  file: string,
  { secretsKey, counts }: { secretsKey: string | undefined; counts: RowCounts },
): Promise<void> {
  const digests = createDigests(secretsKey === undefined ? [] : [secretsKey]);
  for await (const piece of createReadStream(file) as Bytes) digests.update(piece);
  const { sha256, hmacs } = digests.read();
  const rows = [...counts].map(([table, count]) => `rows ${table} ${count}`);
  const lines = [`sha256 ${sha256}`, ...hmacs.map((hmac) => `hmac-sha256 ${hmac}`), ...rows, ''];
  writeFileSync(buildChecksumPath(backup), lines.join('\n'), { mode: 0o600, flag: 'wx', flush: true });
}

/** Returns the numbers of rows that the checksum file states. Empty for a dump. */
export function readRowCounts(backup: string): RowCounts {
  const text = readFileSync(buildChecksumPath(backup), 'utf8');
  return new Map([...text.matchAll(/^rows (\w+) (\d+)$/gm)].map(([, table = '', count]) => [table, Number(count)]));
}

export function requireChecksum(backup: string): void {
  if (!existsSync(buildChecksumPath(backup)))
    throw new Error(`${buildChecksumPath(backup)} is missing: copy it together with the backup, ${skip}`);
}

/**
 * Throws unless the digests of a backup match its checksum file. Returns false if its origin was not verified, because
 * there is no key.
 */
export function verifyChecksum(backup: string, { sha256, hmacs }: ReturnType<Digests['read']>): boolean {
  const path = buildChecksumPath(backup);
  const text = readFileSync(path, 'utf8');
  const [, statedSha256] = /^sha256 ([0-9a-f]{64})$/m.exec(text) ?? [];
  const [, statedHmac] = /^hmac-sha256 ([0-9a-f]{64})$/m.exec(text) ?? [];
  if (sha256 !== statedSha256)
    throw new Error(`${backup} does not match ${path}: it is damaged, so use another backup`);
  if (hmacs.length === 0) return false;
  if (statedHmac === undefined)
    throw new Error(
      `${path} was written without a secrets key, so anybody may have written it: use another backup, ${skip}`,
    );
  if (!hmacs.includes(statedHmac))
    throw new Error(
      `${backup} was written with a different secrets key, or changed: add the earlier key to SECRETS_KEY, ${skip}`,
    );
  return true;
}

export type Digests = ReturnType<typeof createDigests>;

/** Computes the SHA-256 of a file, and its HMAC with a subkey of each key, while the file is read. */
export function createDigests(secretsKeys: readonly string[]) {
  const sha256 = createHash('sha256');
  const hmacs = secretsKeys.map((key) => createHmac('sha256', deriveKey(key, 'backups')));
  const update = (piece: Buffer): void => {
    for (const digest of [sha256, ...hmacs]) digest.update(piece);
  };
  return {
    update,
    read: () => ({ sha256: sha256.digest('hex'), hmacs: hmacs.map((digest) => digest.digest('hex')) }),
    async *pass(pieces: Bytes): AsyncGenerator<Buffer> {
      for await (const piece of pieces) {
        update(piece);
        yield piece;
      }
    },
  };
}
