import type { Knex } from 'knex';
import { formatCommandLine } from '../contract/command-line.js';
import { SchemaError } from './migrate.js';
import { createTables } from './migrations/index.js';
import { tables } from './tables/index.js';
import { listParts, readParts } from './tables/table.js';

/** Returns the missing tables, columns and indexes. Ignores additional ones, e.g. columns of a newer version. */
async function findMissingParts(knex: Knex): Promise<string[]> {
  const stored = await readParts(knex);
  return Object.entries(tables).flatMap(([name, definition]) =>
    stored.has(`table ${name}`) ? listParts(name, definition).filter((it) => !stored.has(it)) : [`table ${name}`],
  );
}

/** Rejects with a SchemaError if a table, a column or an index is missing. `mayLackIndexes`: resolves with the indexes. */
export async function requireParts(knex: Knex, mayLackIndexes = false): Promise<string[]> {
  const missing = await findMissingParts(knex);
  const required = mayLackIndexes ? missing.filter(isData) : missing;
  if (required.length > 0) throw new SchemaError(describeMissing(required));
  return missing;
}

/** Creates what is missing. Resolves with it. Rejects if rows would lack a required value. */
export async function createMissingParts(knex: Knex): Promise<string[]> {
  const missing = await findMissingParts(knex);
  await createTables(knex);
  return missing;
}

/** Returns a message with the remedy. */
export function describeMissing(parts: readonly string[]): string {
  const consequence = parts.some(isData) ? ' to create it without its data, or restore a backup' : '';
  return `the database lacks ${parts.join(', ')}: run "${formatCommandLine('migrate', '--repair')}"${consequence}`;
}

const isData = (part: string) => /^(table|column) /.test(part);
