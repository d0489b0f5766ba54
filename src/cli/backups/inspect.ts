import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';
import { checkLedger, type Ledger } from '../../store/migrate.js';
import { checkCopy } from '../../store/sqlite-copy.js';
import type { RowCounts } from './checksum.js';
import { type FoundBackup, readBackup, type ReadOptions } from './read-backup.js';

/** Resolves with the numbers of rows of a restored copy. Rejects unless this version can use it. */
export async function inspectCopy(file: string, copy: string): Promise<RowCounts> {
  const { foreign, counts } = await checkCopy(copy).catch((error: Error) => refuse(file, error.message));
  if (foreign === undefined) return counts;
  return refuse(file, `this service did not create ${foreign}, which may have been added to it: use another backup`);
}

/** No value contains this text, because a dump escapes line breaks. */
const insert = '\nINSERT INTO `schema_migrations`';
const sqliteHeader = Buffer.from('SQLite format 3\0');
/** Number of characters, more than all migrations have. */
const ledgerMax = 65_536;

/**
 * Reads a whole dump before it is loaded. Resolves with its SHA-256 and the result of the verification. Rejects if it is
 * damaged, or if this version cannot use it.
 */
export async function inspectDump(backup: FoundBackup, options: ReadOptions) {
  const sha256 = createHash('sha256');
  let text = '';
  let isSqlite = false;
  const write = (piece: Buffer, _: unknown, done: () => void) => {
    sha256.update(piece);
    isSqlite ||= text === '' && piece.subarray(0, sqliteHeader.length).equals(sqliteHeader);
    text += piece.toString('latin1');
    const start = text.indexOf(insert);
    text = start < 0 ? text.slice(-insert.length) : text.slice(start, start + ledgerMax);
    done();
  };
  const origin = await readBackup(backup, options, new Writable({ write }));
  if (isSqlite)
    return refuse(
      backup.file,
      'it is a backup of SQLite, and DATABASE_URL names MySQL or MariaDB: use a dump of that engine',
    );
  try {
    if (checkLedger(readLedger(text)).size > 0) return { origin, sha256: sha256.digest() };
  } catch (error) {
    return refuse(backup.file, (error as Error).message);
  }
  return refuse(backup.file, 'it does not contain the schema of this service: use another backup');
}

/** Reads the rows of the ledger. A build from before 1.0.0 has two values per row. */
function readLedger(text: string): Ledger {
  const statements = text.match(/^INSERT INTO `schema_migrations`[^;]*/gm) ?? [];
  const rows = statements.join().matchAll(/\('([^']*)',[^,)]*(?:,(\d+))?\)/g);
  return [...rows].map(([, name = '', breaks]) => ({ name, breaks_earlier: Number(breaks) }));
}

function refuse(file: string, reason: string): never {
  throw new Error(`${file}: ${reason}`);
}
