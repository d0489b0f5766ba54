import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'libsql';
import { openDatabase } from '../../src/store/database.js';
import { temporaryFolder } from '../../testkit/temporary-folder.js';
import { databaseKind } from '../../testkit/databases.js';
import { untilClosed } from '../../testkit/command-line.js';

/** Runs statements on the database, or on a SQLite file. This process then has no file of it open. */
export async function runSql(url: string, ...statements: readonly string[]): Promise<void> {
  if (databaseKind === 'sqlite') {
    // Without prepared statements, the file is closed at once.
    const database = new Database(url.replace('sqlite:', ''));
    for (const sql of statements) database.exec(sql);
    database.close();
    return untilClosed(url);
  }
  const knex = openDatabase({ kind: 'mysql', url });
  for (const sql of statements) await knex.raw(sql);
  await knex.destroy();
}

/** Returns the backups in a folder, without their other files. */
export async function listBackups(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => /\.(db|sql)(\.age)?$/.test(name)).sort();
}

/**
 * Makes backups of the database stop in the middle. Returns variables for the command, and a function that ends this. On
 * MySQL, the dump stops. On SQLite, another connection locks the database.
 */
export async function stallBackups(
  url: string,
): Promise<{ env: Record<string, string>; release: () => Promise<void> }> {
  if (databaseKind === 'mysql') {
    const folder = await temporaryFolder();
    const script = `#!/bin/sh\ncase "$*" in *--version) exec /usr/bin/mariadb-dump --version;; esac\necho half; exec sleep 60\n`;
    await writeFile(join(folder, 'mariadb-dump'), script);
    await chmod(join(folder, 'mariadb-dump'), 0o755);
    return { env: { PATH: `${folder}:${process.env['PATH']}` }, release: async () => undefined };
  }
  const knex = openDatabase({ kind: 'sqlite', file: url.slice('sqlite:'.length) });
  await knex.raw('pragma locking_mode = exclusive');
  await knex.raw('begin exclusive');
  await knex.raw("insert into schema_migrations (name, completed_at_ms, breaks_earlier) values ('locked', 0, 0)");
  const release = async () => {
    await knex.raw('rollback');
    await knex.raw('pragma locking_mode = normal');
    // The lock ends with the next read.
    await knex('schema_migrations').first();
    await knex.destroy();
  };
  return { env: {}, release };
}
