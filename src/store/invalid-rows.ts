import type { Knex } from 'knex';
import { listPages } from './people.js';
import {
  addEntries,
  type CodedRow,
  type CodedTable,
  codedTables,
  type Evidence,
  findEvidence,
  signRow,
  toEntry,
  writeCodes,
} from './row-codes.js';

/** Returns the number of rows without a valid code by table. A table without such rows is absent. */
export async function countInvalidRows(knex: Knex, evidence: Evidence): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const table of codedTables) {
    let count = 0;
    for await (const page of listPages<CodedRow>(knex(table.name).select(), table.key.join(' ')))
      count += page.filter((row) => !signRow(evidence, table, row).includes(String(row['code']))).length;
    if (count > 0) counts.set(table.name, count);
  }
  return counts;
}

/** Returns the name of a row within its table, e.g. `acc_1/p-1/2`. */
export function nameRow({ key }: CodedTable, row: CodedRow): string {
  return key.map((column) => row[column]).join('/');
}

/**
 * Codes a row as it is, in a transaction of `transactCoded`, and enters it in the chain. `named` is its name. Rejects if there
 * is no such row, or if its code is valid.
 */
export async function acceptRow(transaction: Knex, tableName: string, named: string): Promise<CodedRow> {
  const evidence = findEvidence(transaction);
  const table = codedTables.find(({ name }) => name === tableName);
  if (!table) throw new Error(`rows of ${tableName} have no codes: use ${codedTables.map((it) => it.name).join(', ')}`);
  // Of all columns, only the id of a person may contain a slash.
  const form = table.key.map((column) => (column === 'subject_id' ? '(.+)' : '([^/]+)')).join('/');
  const values = new RegExp(`^${form}$`).exec(named)?.slice(1) ?? [];
  const key = Object.fromEntries(table.key.map((column, index) => [column, values[index] ?? '']));
  const [row]: CodedRow[] = await transaction(tableName).where(key).forUpdate();
  if (!row || !evidence) throw new Error(`${tableName} has no row ${named}: name it as audit --verify does`);
  if (signRow(evidence, table, row).includes(String(row['code'])))
    throw new Error(`the row ${named} of ${tableName} has a valid code`);
  const coded = await writeCodes(transaction, evidence, table, [row]);
  // The earlier content is then no longer expected.
  const gone = row['code'] === null ? [] : [toEntry('remove', tableName, row)];
  addEntries(transaction, [...gone, ...coded.map((it) => toEntry('add', tableName, it))]);
  return coded[0] ?? row;
}
