import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';
import { type AppliedMigration, checkLedger } from '../../store/migrate.js';
import { checkCopy } from '../../store/sqlite-copy.js';
import type { RowCounts } from './checksum.js';
import { type FoundBackup, readBackup, type ReadOptions } from './read-backup.js';

/** The rules by which this version accepts a backup. They are the same for a copy of SQLite and a dump of MySQL. */

/** Returns the numbers of rows of the content of a backup, which is a SQLite file at `copy`. Rejects if it is not usable. */
export async function inspectCopy(file: string, copy: string): Promise<RowCounts> {
  const { foreign, counts } = await checkCopy(copy).catch((error: Error) => refuse(file, error.message));
  if (foreign !== undefined)
    refuse(file, `this service did not create ${foreign}, which may have been added to the backup: use another backup`);
  return counts;
}

/** Values contain no line break, because a dump escapes it. */
const insert = '\nINSERT INTO `schema_migrations`';

/**
 * Reads a whole dump before it is loaded. Rejects if it is damaged or not usable. Resolves with its SHA-256 and the result
 * of the verification.
 */
export async function inspectDump(backup: FoundBackup, options: ReadOptions) {
  const sha256 = createHash('sha256');
  let [rest, statements] = ['', ''];
  const sink = new Writable({
    write(piece: Buffer, _, done) {
      sha256.update(piece);
      rest += piece.toString('latin1');
      for (let start: number; (start = rest.indexOf(insert)) >= 0;) {
        const end = rest.indexOf(';\n', start);
        if (end < 0) return done();
        statements += rest.slice(start, end);
        rest = rest.slice(end);
      }
      rest = rest.slice(-insert.length);
      done();
    },
  });
  const origin = await readBackup(backup, options, sink);
  requireUsable(backup.file, readLedger(statements));
  return { origin, sha256: sha256.digest() };
}

/** Reads the rows of INSERT statements. A build from before 1.0.0 has two values per row. */
function readLedger(statements: string): AppliedMigration[] {
  const rows = statements.matchAll(/\('([^']*)',(\d+|NULL)(?:,(\d+))?\)/g);
  return [...rows].map(([, name = '', completed, breaks]) => ({
    name,
    completed_at_ms: completed === 'NULL' ? null : Number(completed),
    breaks_earlier: Number(breaks),
  }));
}

function requireUsable(file: string, ledger: readonly AppliedMigration[]): void {
  try {
    if (checkLedger(ledger).size > 0) return;
  } catch (error) {
    refuse(file, (error as Error).message);
  }
  refuse(file, 'it does not contain the schema of this service: use another backup');
}

function refuse(file: string, reason: string): never {
  throw new Error(`${file}: ${reason}`);
}
