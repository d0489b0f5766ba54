import { expect, test } from 'vitest';
import { operationScopes } from '../../generated/spec.js';
import { fieldRows, mappedColumns, mappedRequests, tableRows, tableUses } from './data-map.js';
import { operations } from '../../src/operations/index.js';
import { operations as documented } from '../../testkit/documented-requests.js';
import { openMigrated } from '../../testkit/temporary-database.js';

/** Returns the columns of each table of a new database, in alphabetical order. */
async function readSchema(): Promise<Record<string, string[]>> {
  const { knex } = await openMigrated();
  const tables: string[] = await knex('sqlite_master').where({ type: 'table' }).pluck('name');
  const columns = tables.map(async (name) => [name, Object.keys(await knex(name).columnInfo()).sort()] as const);
  return Object.fromEntries(await Promise.all(columns));
}

test('the data map contains exactly the tables and columns that the migrations create', async () => {
  const schema = await readSchema();
  expect(Object.keys(schema).length).toBeGreaterThan(20);
  expect(mappedColumns()).toEqual(schema);
});

test('a table with the id of a person counts as data of people', () => {
  const unmarked = Object.entries(mappedColumns())
    .filter(([, columns]) => columns.some((name) => ['subject_id', 'session_id', 'incarnation'].includes(name)))
    .filter(([name]) => tableUses[name]?.identifies !== 'person');
  expect(unmarked).toEqual([]);
});

test('the data map contains every request with a body and each of its fields once', () => {
  const withBody = documented.filter(({ request }) => request !== undefined).map(({ id }) => id);
  expect([...mappedRequests(), 'ingestBatch'].sort()).toEqual(withBody.sort());
  // Throws if a field is missing.
  const fields = fieldRows().map(([operation, field]) => `${operation} ${field}`);
  expect(fields.length).toBeGreaterThan(50);
  expect(new Set(fields).size).toBe(fields.length);
});

test('the data map names every operation that returns data of people, and only existing operations', () => {
  const read = new Set(Object.values(tableUses).flatMap(({ readBy }) => readBy));
  const returning = Object.entries(operations)
    .filter(([, { personalData }]) => personalData === 'reads' || personalData === 'exports')
    .map(([id]) => id);
  expect(returning.filter((id) => !read.has(id))).toEqual([]);
  expect([...read].filter((id) => !(id in operations))).toEqual([]);
  expect(Object.keys(operationScopes).length).toBeGreaterThan(10);
});

test('every cell of the data map is one line without a column separator', () => {
  const cells = [...tableRows(), ...fieldRows()].flat();
  expect(cells.filter((it) => /[\n|]/.test(it))).toEqual([]);
});
