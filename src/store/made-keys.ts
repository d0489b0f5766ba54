import type { Knex } from 'knex';
import type { AccountSettings, Tier } from '../contract/contract.js';
import { toColumns } from './columns.js';
import type { DeletedBatch } from './delete-oldest.js';
import { requireEvidence } from './first-codes.js';
import { changeRows, hasValidCode } from './row-codes.js';
import { rowFormats } from './row-formats.js';
import type { ReadScope } from './scope.js';

/** What an API key makes: a source key or a link. Times in epoch ms. */
export interface Made {
  readonly accountId: string;
  /** Null for a hub. */
  readonly subjectId: string | null;
  readonly createdAtMs: number;
  /** In a new row its own end. In a row that was read the effective end: the earlier of its own and its maker's. */
  readonly expiresAtMs: number;
}

/** A row with the tier and settings of its account. */
export type Found<Row> = Row & { readonly tier: Tier; readonly settings: AccountSettings };

type MadeName = 'source_keys' | 'person_links';

/** A table of what API keys make. Its columns of owner, hash, maker and times are those of the other table. */
export interface MadeTable<Row extends Made> {
  readonly table: MadeName;
  readonly id: 'source_key_id' | 'link_id';
  readonly columns: Readonly<Record<string, string>>;
  readonly encode: (row: Row) => Parameters<typeof toColumns>[1];
  readonly decode: (values: Record<string, unknown>) => Row;
}

type Key = Readonly<Record<string, string | null>>;

/** The rows of one account. */
export function createMadeTable<Row extends Made>({ knex, accountId }: ReadScope, made: MadeTable<Row>) {
  const { table, id } = made;
  const mine = (key: Key) => (rows: Knex.QueryBuilder) => rows.where({ account_id: accountId, ...key });
  const change = <T>(key: Key, run: (rows: Knex.QueryBuilder) => PromiseLike<T>) =>
    changeRows(knex, table, mine(key), (on) => run(on(table)));
  const select = (key: Key) => selectMade(knex, made, { account_id: accountId, ...key });

  async function find(key: Key): Promise<Row | undefined> {
    const [row] = await select(key);
    return row && decode(made, row);
  }
  return {
    find,

    /** Returns at most `max` rows with these values that have not ended, newest first. */
    async list(key: Key, nowMs: number, max: number): Promise<Row[]> {
      const newestFirst = ['created_at_ms', id].map((name) => ({ column: `${table}.${name}`, order: 'desc' as const }));
      const valid = select(key).where(knex.raw(formatEnd(table)), '>', nowMs);
      const rows: Array<Record<string, unknown>> = await valid.orderBy(newestFirst).limit(max);
      return rows.map((row) => decode(made, row));
    },

    /** Inserts a row. Returns it with its effective end. */
    async insert(row: Row): Promise<Row> {
      await requireEvidence(knex);
      const columns = toColumns(made.columns, made.encode(row));
      const key = { [id]: String(columns[id]) };
      await change(key, (rows) => rows.insert(columns));
      return (await find(key)) ?? row;
    },

    /** Deletes the rows with these values. Returns their number. */
    remove: (key: Key): Promise<number> => change(key, (rows) => mine(key)(rows).delete()),

    /** Hands what an API key made to its successor. */
    async setMaker(makerKeyId: string, successorId: string): Promise<void> {
      const ids: string[] = await mine({ maker_key_id: makerKeyId })(knex(table)).pluck(id);
      if (ids.length > 0) await requireEvidence(knex);
      const rows = (all: Knex.QueryBuilder) => mine({})(all).whereIn(id, ids);
      await changeRows(knex, table, rows, (on) => rows(on(table)).update({ maker_key_id: successorId }));
    },
  };
}

/** Returns the rows of all accounts with these hashes, also if they have ended. A row without a valid code does not exist. */
export async function findMade<Row extends Made>(
  knex: Knex,
  made: MadeTable<Row>,
  hashes: readonly string[],
): Promise<Array<Found<Row>>> {
  const { table, columns } = made;
  const rows: Array<Record<string, string | number | null>> = await selectMade(knex, made, {})
    .join('accounts', 'accounts.account_id', `${table}.account_id`)
    .whereIn(`${table}.key_hash`, hashes)
    .select({ code: `${table}.code`, tier: 'accounts.tier', settings: 'accounts.settings' });
  return rows.flatMap(({ code = null, tier, settings: stored = null, ...own }) => {
    if (!hasValidCode(knex, table, { ...toColumns(columns, own), code })) return [];
    const settings = stored === null ? {} : rowFormats.accountSettings.decode(String(stored));
    return [{ ...decode(made, own), tier: tier as Tier, settings }];
  });
}

/** Returns the rows of all accounts, or of one, that have not ended, oldest first, with the names of their accounts. */
export async function listMade<Row extends Made>(
  knex: Knex,
  made: MadeTable<Row>,
  nowMs: number,
  account?: string,
): Promise<Array<Row & { readonly account: string }>> {
  const valid = selectMade(knex, made, {})
    .join('accounts', 'accounts.account_id', `${made.table}.account_id`)
    .select({ account: 'accounts.name' })
    .where(knex.raw(formatEnd(made.table)), '>', nowMs)
    .orderBy(`${made.table}.created_at_ms`);
  const rows: Array<Record<string, unknown>> = await (account === undefined
    ? valid
    : valid.where({ 'accounts.name': account }));
  return rows.map(({ account: name, ...row }) => ({ ...decode(made, row), account: String(name) }));
}

/** Deletes at most `batch` source keys or links that expired before `beforeMs`, oldest first. */
export async function purgeExpiredKeys(
  knex: Knex,
  table: MadeName,
  beforeMs: number,
  batch: number,
): Promise<DeletedBatch> {
  const oldest: ReadonlyArray<{ readonly key_hash: string; readonly expires_at_ms: number | string }> = await knex(
    table,
  )
    .where('expires_at_ms', '<', beforeMs)
    .orderBy('expires_at_ms')
    .limit(batch)
    .select('key_hash', 'expires_at_ms');
  if (oldest.length === 0) return { rows: 0 };
  const hashes = oldest.map((it) => it.key_hash);
  const select = (rows: Knex.QueryBuilder) => rows.whereIn('key_hash', hashes);
  const rows = await changeRows(knex, table, select, (on) => select(on(table)).delete());
  return { rows, oldestMs: Number(oldest[0]?.expires_at_ms) };
}

/** Returns a query for the rows with these values, with their effective end. */
function selectMade<Row extends Made>(knex: Knex, { table, columns }: MadeTable<Row>, key: Key): Knex.QueryBuilder {
  const inTable = (column: string) => `${table}.${column}`;
  const fields = Object.entries(columns).map(([field, column]) => [field, inTable(column)] as const);
  const values = Object.entries(key).map(([column, value]) => [inTable(column), value] as const);
  return knex(table)
    .leftJoin('api_keys', { 'api_keys.account_id': inTable('account_id'), 'api_keys.key_id': inTable('maker_key_id') })
    .where(Object.fromEntries(values))
    .select({ ...Object.fromEntries(fields), endsAtMs: knex.raw(formatEnd(table)) });
}

/**
 * Returns the effective end of a row in SQL. 0 if its maker was revoked or does not exist. Without a maker, as from the
 * command line, its own end counts.
 */
function formatEnd(table: string): string {
  const own = `${table}.expires_at_ms`;
  return (
    `case when ${table}.maker_key_id is null then ${own} ` +
    'when api_keys.key_id is null or api_keys.revoked_at_ms is not null then 0 ' +
    `when api_keys.expires_at_ms < ${own} then api_keys.expires_at_ms else ${own} end`
  );
}

/** SQLite and MySQL return numbers of 64 bits in different types. */
function decode<Row extends Made>(made: MadeTable<Row>, { endsAtMs, ...row }: Record<string, unknown>): Row {
  return made.decode({ ...row, createdAtMs: Number(row['createdAtMs']), expiresAtMs: Number(endsAtMs) });
}
