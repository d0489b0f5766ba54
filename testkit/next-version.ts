import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
const lastMigration = 'run: createTables }]';

/**
 * Copies the built program and adds a migration to its list, as a next version would. Returns its main file. The migration
 * creates the table `next_year`. `isBreaking` marks it as unusable for earlier versions.
 */
export function buildNextVersion(isBreaking: boolean): string {
  const folder = mkdtempSync(join(tmpdir(), 'state-next-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of readdirSync(root)) if (name !== 'dist') symlinkSync(join(root, name), join(folder, name));
  const dist = join(folder, 'dist');
  cpSync(join(root, 'dist'), dist, { recursive: true });
  const run = "async (database) => void (await database.raw('create table if not exists next_year (a integer)'))";
  const added = `run: createTables }, { name: 'next-year', run: ${run}${isBreaking ? ', breaksEarlier: true' : ''} }]`;
  const chunks = readdirSync(join(dist, 'chunks')).map((name) => join(dist, 'chunks', name));
  const changed = chunks.filter((file) => file.endsWith('.js') && replaceIn(file, lastMigration, added));
  if (changed.length === 0) throw new Error(`no built file contains ${lastMigration}`);
  return join(dist, 'main.js');
}

function replaceIn(file: string, from: string, to: string): boolean {
  const text = readFileSync(file, 'utf8');
  if (text.includes(from)) writeFileSync(file, text.replace(from, to));
  return text.includes(from);
}
