import type { Knex } from 'knex';
import type { AnyChainedEntry, NewEntry } from '../store/access-queries.js';
import { findChangedConsents } from '../store/consents.js';
import { nameRow } from '../store/invalid-rows.js';
import { listPages } from '../store/people.js';
import { type CodedRow, type CodedTable, codedTables, type Evidence, signRow, toEntry } from '../store/row-codes.js';

const dayMs = 86_400_000;
/** Maximum number of rows that a sentence names. */
const namedMax = 10;

/** What the entries of all chains state about rows and processes. */
export interface Ledger {
  readonly expiredBeforeMs: number;
  readonly tables: Map<string, TableLedger>;
  /** Chains that the first entry of another chain (`next`) continues, with their last number. */
  readonly continued: Array<{ readonly chainId: string; readonly seq: number; readonly next: string }>;
  /** When all rows had codes, in epoch ms. More than one if the rows were coded again. */
  readonly codedAtMs: number[];
  firstStartMs: number;
}

interface RowBalance {
  /** How often a row was added, minus how often it was removed. */
  readonly balance: number;
  readonly accountId: string;
  /** Epoch ms. */
  readonly atMs: number;
}

interface TableLedger {
  /** By code. */
  readonly codes: Map<string, RowBalance>;
  /** Rows that got a code without an entry of their own. */
  coded: number;
}

export function createLedger(expiredBeforeMs: number): Ledger {
  return { expiredBeforeMs, tables: new Map(), continued: [], codedAtMs: [], firstStartMs: Infinity };
}

export function addToLedger(ledger: Ledger, { chainId, atMs, action, operation, keyId, accountId }: AnyChainedEntry) {
  const table = () => {
    const found = ledger.tables.get(operation) ?? { codes: new Map(), coded: 0 };
    ledger.tables.set(operation, found);
    return found;
  };
  if (action === 'add' || action === 'remove') {
    const { codes } = table();
    const balance = (codes.get(keyId)?.balance ?? 0) + (action === 'add' ? 1 : -1);
    codes.set(keyId, { balance, accountId, atMs: Math.max(atMs, codes.get(keyId)?.atMs ?? 0) });
  } else if (action === 'code') table().coded += Number(keyId);
  else if (action === 'coded') ledger.codedAtMs.push(atMs);
  else if (action === 'start') ledger.firstStartMs = Math.min(ledger.firstStartMs, atMs);
  else if (action === 'continue' && atMs > ledger.expiredBeforeMs + 2 * dayMs) {
    const [previous = '', seq] = keyId.split(' ');
    ledger.continued.push({ chainId: previous, seq: Number(seq), next: chainId });
  }
}

/** Returns the faults of rows that have codes, and the entries that accept the rows as they are. */
export async function findRowFaults(knex: Knex, evidence: Evidence, ledger: Ledger) {
  const faults: string[] = [];
  const corrections: NewEntry[] = [];
  const { codedAtMs, firstStartMs, expiredBeforeMs } = ledger;
  if (codedAtMs.length > 1 || codedAtMs.some((it) => it > firstStartMs + dayMs))
    faults.push('the mark of the first codes was removed after the first start: rows without a code are not valid');
  for (const table of codedTables) {
    const { found, missing, corrections: added } = await findTableFaults(knex, evidence, table, ledger);
    for (const [problem, rows] of Object.entries(found))
      if (rows.length > 0) faults.push(describe(table.name, problem as Problem, rows));
    corrections.push(...added);
    // Otherwise, entries about earlier rows have expired.
    if (missing === 0 || codedAtMs.length === 0 || codedAtMs.some((it) => it < expiredBeforeMs + dayMs)) continue;
    corrections.push(toEntry('code', table.name, { code: -missing }));
    if (missing > 0) faults.push(`${table.name}: ${missing} rows from before the first start were removed or changed`);
  }
  const changed = await findChangedConsents(knex);
  faults.push(...changed.map((it) => `subjects: the consent of ${it} is not the recorded one: record it again`));
  return { faults, corrections };
}

const problems = {
  uncoded: 'have no code: not the service wrote them, or version 1.0.0, or a command without SECRETS_KEY',
  changed: 'were changed or added, or their key is not in SECRETS_KEY',
  restored: 'were put back after the service had changed or removed them',
  removed: 'were removed or changed, their codes were',
};
type Problem = keyof typeof problems;

function describe(table: string, problem: Problem, rows: readonly string[]): string {
  const others = rows.length > namedMax ? ` and ${rows.length - namedMax} others` : '';
  return `${table}: ${rows.length} rows ${problems[problem]}: ${rows.slice(0, namedMax).join(', ')}${others}`;
}

/** `missing` is the number of rows that are missing without an entry of their own. Negative if there are too many. */
async function findTableFaults(knex: Knex, evidence: Evidence, table: CodedTable, ledger: Ledger) {
  const { codes, coded } = ledger.tables.get(table.name) ?? { codes: new Map<string, RowBalance>(), coded: 0 };
  const found: Record<Problem, string[]> = { uncoded: [], changed: [], restored: [], removed: [] };
  const corrections: NewEntry[] = [];
  const correct = (action: 'add' | 'remove', code: string, accountId: string, times: number) => {
    const entry = toEntry(action, table.name, { account_id: accountId, code });
    for (let count = 0; count < times; count += 1) corrections.push(entry);
    return times;
  };
  let missing = [...codes.values()].reduce((sum, { balance }) => sum + balance, coded);
  const unseen = new Map(codes);
  const check = (row: CodedRow) => {
    const code = row['code'] as string | null;
    const valid = signRow(evidence, table, row);
    const name = nameRow(table, row);
    if (code === null) return found.uncoded.push(name);
    if (!valid.includes(code)) {
      if (!codes.has(code)) missing -= 1;
      return found.changed.push(name);
    }
    missing -= 1;
    const known = valid.flatMap((it) => codes.get(it) ?? []);
    for (const it of valid) unseen.delete(it);
    const balance = known.reduce((sum, it) => sum + it.balance, 0);
    if (known.length === 0 || balance > 0) return;
    missing += correct('add', code, String(row['account_id'] ?? '-'), 1 - balance);
    found.restored.push(name);
  };
  const all = listPages<CodedRow>(knex(table.name).select(), table.key.join(' '));
  for await (const page of all) page.forEach(check);
  for (const [code, { balance, accountId, atMs }] of unseen) {
    if (balance < 1 || atMs < ledger.expiredBeforeMs) continue;
    missing -= correct('remove', code, accountId, balance);
    found.removed.push(code);
  }
  return { found, missing, corrections };
}
