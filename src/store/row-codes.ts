import type { Knex } from 'knex';
import type { NewEntry, ServiceEntry } from './access-queries.js';
import { startAfter } from './columns.js';
import { retry } from './retry.js';
import { runStatements } from './rows.js';
import { findTables } from './tables/index.js';

/**
 * Codes of rows: rows of some tables have a keyed digest of their fields in `code`, and each change of such a row is an
 * entry in the chain of the process. Without SECRETS_KEY, nobody can write a row with a valid code, or hide a removed one.
 */
export interface Evidence {
  /** Returns the codes of a text, one per key of SECRETS_KEY, the newest first. */
  readonly sign: (text: string) => readonly string[];
  /** Absent if the deployment stores no access record. */
  readonly extend?: Extend | undefined;
}

/**
 * Stores entries in the chain of the process. Called at the end of a transaction, because the chain is locked until the
 * transaction ends. Resolves with the function that must be called then.
 */
export type Extend = (transaction: Knex, entries: readonly NewEntry[]) => Promise<(isCommitted: boolean) => void>;

export type CodedRow = Readonly<Record<string, string | number | null>>;

export const codedTables = findTables(({ coded }) => coded !== undefined).flatMap(({ name, coded }) =>
  coded ? [{ name, ...coded }] : [],
);
export type CodedTable = (typeof codedTables)[number];

const pageRows = 500;
/** Entries of open transactions. */
const waiting = new WeakMap<Knex, readonly NewEntry[]>();

/** Lets the writers of a Knex instance code their rows. */
export function keepEvidence(knex: Knex, evidence: Evidence): void {
  Object.assign(knex.userParams, { evidence });
}

/** Lets another instance for the same database code its rows too. */
export function copyEvidence(from: Knex, to: Knex): void {
  const evidence = findEvidence(from);
  if (evidence) keepEvidence(to, evidence);
}

export function findEvidence(knex: Knex): Evidence | undefined {
  return (knex.userParams as { evidence?: Evidence }).evidence;
}

/** Runs work in one transaction, and stores the entries about changed rows at its end. */
export async function transactCoded<T>(
  knex: Knex,
  work: (transaction: Knex.Transaction) => Promise<T>,
  extend = findEvidence(knex)?.extend,
): Promise<T> {
  let end: Awaited<ReturnType<Extend>> | undefined;
  let isCommitted = false;
  try {
    const result = await knex.transaction(async (transaction) => {
      const done = await work(transaction);
      const entries = waiting.get(transaction);
      if (entries) end = await extend?.(transaction, entries);
      return done;
    });
    isCommitted = true;
    return result;
  } finally {
    end?.(isCommitted);
  }
}

/** Adds entries to a transaction of `transactCoded`. */
export function addEntries(transaction: Knex, entries: readonly NewEntry[]): void {
  const earlier = waiting.get(transaction);
  waiting.set(transaction, earlier ? [...earlier, ...entries] : entries);
}

/** Returns the codes of a row, one per key of SECRETS_KEY. The same text and number have the same code. */
export function signRow({ sign }: Pick<Evidence, 'sign'>, { name, key, fields }: CodedTable, row: CodedRow) {
  const values = [...key, ...fields].map((column) => row[column] ?? null);
  return sign(JSON.stringify([name, ...values.map((it) => (it === null ? null : String(it)))]));
}

/** Returns true if a row has a valid code. Also true in a process without SECRETS_KEY, which cannot verify it. */
export function hasValidCode(knex: Knex, name: string, row: CodedRow): boolean {
  const evidence = findEvidence(knex);
  const table = codedTables.find((it) => it.name === name);
  return !evidence || !table || signRow(evidence, table, row).includes(String(row['code']));
}

/**
 * Changes rows of a table that has codes: `select` selects them before and after `change`. Codes the changed rows. A row
 * that had no valid code gets none, so that the change does not hide it.
 */
export async function changeRows<T>(
  knex: Knex,
  name: string,
  select: (rows: Knex.QueryBuilder) => Knex.QueryBuilder,
  change: (transaction: Knex) => PromiseLike<T>,
): Promise<T> {
  const evidence = findEvidence(knex);
  const table = codedTables.find((it) => it.name === name);
  if (!evidence || !table) return change(knex);
  if (!knex.isTransaction)
    return retry(() => transactCoded(knex, (transaction) => changeRows(transaction, name, select, change)));
  const read = async (): Promise<CodedRow[]> => select(knex(name)).select().forUpdate();
  const nameRow = (row: CodedRow) => JSON.stringify(table.key.map((column) => row[column]));
  const hasCode = (row: CodedRow) => signRow(evidence, table, row).includes(String(row['code']));
  const before = new Map((await read()).map((row) => [nameRow(row), row]));
  const result = await change(knex);
  const sound = (row: CodedRow | undefined) => row === undefined || hasCode(row);
  const after = await read();
  const changed = after.filter((row) => !hasCode(row) && sound(before.get(nameRow(row))));
  const coded = await writeCodes(knex, evidence, table, changed);
  const kept = new Set(after.filter((row) => !changed.includes(row)).map(nameRow));
  const gone = [...before].flatMap(([key, row]) => (!kept.has(key) && hasCode(row) ? [row] : []));
  const entries = [
    ...gone.map((row) => toEntry('remove', name, row)),
    ...coded.map((row) => toEntry('add', name, row)),
  ];
  if (entries.length > 0) addEntries(knex, entries);
  return result;
}

/** Returns the entry about an added or removed row, or about `code` rows if that is a number. */
export function toEntry(
  action: ServiceEntry['action'],
  operation: string,
  { account_id, code }: { readonly account_id?: CodedRow[string]; readonly code?: CodedRow[string] },
): NewEntry {
  return { accountId: String(account_id ?? '-'), keyId: String(code ?? '-'), credential: 'service', action, operation };
}

/** Stores the codes of rows that the transaction has locked. Returns the rows with their codes. */
export async function writeCodes(knex: Knex, evidence: Evidence, table: CodedTable, rows: readonly CodedRow[]) {
  const coded = rows.map((row): CodedRow => ({ ...row, code: signRow(evidence, table, row)[0] ?? null }));
  const sql = `update ${table.name} set code = ? where ${table.key.map((column) => `${column} = ?`).join(' and ')}`;
  const toStatement = (row: CodedRow) => ({
    sql,
    bindings: [row['code'] ?? null, ...table.key.map((column) => row[column] ?? null)],
  });
  await runStatements({ knex }, coded.map(toStatement));
  return coded;
}

/** Returns a query for the next rows of a table in the order of its key. */
function selectPage(knex: Knex, { name, key }: CodedTable, last: CodedRow | undefined): Knex.QueryBuilder {
  const place = Object.fromEntries(key.map((column) => [column, last?.[column] ?? undefined]));
  return startAfter(knex(name).select(), 'asc', place).limit(pageRows);
}

/**
 * Codes the rows of all tables whose stored code is selected. `codes` are the valid ones, the newest first. With
 * `isCounted`, enters the number of the rows in the chain.
 */
export async function codeRows(
  knex: Knex,
  isSelected: (code: string | null, codes: readonly string[]) => boolean,
  isCounted = false,
): Promise<void> {
  const evidence = findEvidence(knex);
  if (!evidence) return;
  for (const table of codedTables) {
    const codePage = (last: CodedRow | undefined) =>
      transactCoded(knex, async (transaction) => {
        const page: CodedRow[] = await selectPage(transaction, table, last).forUpdate();
        const rows = page.filter((row) => isSelected(row['code'] as string | null, signRow(evidence, table, row)));
        await writeCodes(transaction, evidence, table, rows);
        if (isCounted && rows.length > 0) addEntries(transaction, [toEntry('code', table.name, { code: rows.length })]);
        return page;
      });
    let page: CodedRow[] | undefined;
    do {
      const last = page?.at(-1);
      page = await retry(() => codePage(last));
    } while (page.length === pageRows);
  }
}
