import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Config } from '../../config/config.js';
import { readRowCounts, type RowCounts } from './checksum.js';
import { inspectCopy, inspectDump } from './inspect.js';
import { countAllRows, withTemporaryDatabase } from './mysql-database.js';
import { findServer, startDump } from './mysql-programs.js';
import {
  type FoundBackup,
  findBackup,
  loadBackup,
  readBackup,
  readIdentityFile,
  type ReadOptions,
} from './read-backup.js';

interface Verified {
  readonly origin: string;
  readonly counts: RowCounts;
}

/** Restores a backup into a temporary database, compares both, and prints the number of rows. Rejects if they differ. */
export async function verifyBackup(config: Config, file: string, keyFile: string | undefined): Promise<void> {
  const options = { identities: await readIdentityFile(keyFile), unverified: false };
  const backup = await findBackup(config, file, options);
  const isSqlite = config.database.kind === 'sqlite';
  const { origin, counts } = await (isSqlite ? verifyCopy(backup, options) : verifyDump(config, backup, options));
  const rows = [...counts.values()].reduce((sum, count) => sum + count, 0);
  for (const [table, count] of counts) console.log(`${table} ${count}`);
  console.log(
    `Verified ${file}: ${origin}, restored into a temporary database, ${rows} rows in ${counts.size} tables.`,
  );
}

/** Compares the rows with those that the backup had when it was written. */
async function verifyCopy(backup: FoundBackup, options: ReadOptions): Promise<Verified> {
  const folder = await mkdtemp(join(tmpdir(), 'state-service-verify-'));
  try {
    const copy = join(folder, 'state.db');
    const origin = await readBackup(backup, options, createWriteStream(copy, { mode: 0o600 }));
    const counts = await inspectCopy(backup.file, copy);
    for (const [table, stated] of readRowCounts(backup.file))
      if (counts.get(table) !== stated)
        throw new Error(
          `${backup.file} has ${counts.get(table) ?? 0} rows in ${table} instead of ${stated}: use another backup`,
        );
    return { origin, counts };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Dumps the temporary database again. Both dumps are equal if every row is. */
async function verifyDump(config: Config, backup: FoundBackup, options: ReadOptions): Promise<Verified> {
  const server = await findServer(config);
  const { origin, sha256 } = await inspectDump(backup, options);
  return withTemporaryDatabase(server.url, async (temporary) => {
    await loadBackup(backup, options, { ...server, url: temporary });
    const found = createHash('sha256');
    const dump = await startDump({ ...server, url: temporary });
    dump.stdin.end();
    await pipeline(dump.stdout, found);
    await dump.ended;
    if (!found.read().equals(sha256))
      throw new Error(
        `${backup.file} differs from a dump of the restored tables. If the server or its programs were upgraded since ` +
          'the backup, verify a new backup. Otherwise use another backup',
      );
    return { origin, counts: await countAllRows(temporary) };
  });
}
