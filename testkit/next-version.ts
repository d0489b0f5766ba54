import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
/** The list of migrations in the built program. */
const listed = /var migrations=\[[^]*?\](?=;)/;

/** Adds a table, an index, a nullable column, and a column with a default. Idempotent on both databases. */
const addColumns = `async (database) => {
  await database.raw('create table if not exists next_year (a integer)');
  if (!(await database.schema.hasColumn('subjects', 'next_note')))
    await database.schema.alterTable('subjects', (table) => void table.string('next_note', 64).nullable());
  if (await database.schema.hasColumn('sessions', 'next_count')) return;
  await database.schema.alterTable('sessions', (table) => void table.integer('next_count').notNullable().defaultTo(0));
  await database.raw('create index sessions_by_next_count on sessions (next_count)');
}`;
const addTable = "async (database) => void (await database.raw('create table if not exists next_year (a integer)'))";

/**
 * Copies the built program and adds a migration to its list, as a next version would. Returns its main file. The migration
 * creates the table `next_year`. `isBreaking` marks it as unusable for earlier versions. Otherwise it also adds the columns
 * `subjects.next_note` and `sessions.next_count`.
 */
export function buildNextVersion(isBreaking: boolean): string {
  const folder = mkdtempSync(join(tmpdir(), 'state-next-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of readdirSync(root)) if (name !== 'dist') symlinkSync(join(root, name), join(folder, name));
  const dist = join(folder, 'dist');
  cpSync(join(root, 'dist'), dist, { recursive: true });
  const run = isBreaking ? `${addTable}, breaksEarlier: true` : addColumns;
  const chunks = readdirSync(join(dist, 'chunks')).map((name) => join(dist, 'chunks', name));
  const changed = chunks.filter(
    (file) => file.endsWith('.js') && addMigration(file, `{ name: 'next-year', run: ${run} }`),
  );
  if (changed.length === 0) throw new Error(`no built file matches ${listed}`);
  return join(dist, 'main.js');
}

function addMigration(file: string, migration: string): boolean {
  const text = readFileSync(file, 'utf8');
  const changed = text.replace(listed, (list) => `${list.slice(0, -1)}, ${migration}]`);
  if (changed !== text) writeFileSync(file, changed);
  return changed !== text;
}
