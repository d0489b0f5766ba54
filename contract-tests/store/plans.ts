import { databaseKind } from '../../testkit/databases.js';
import type { Filled, Statement } from './recorded.js';

/** Statements that may scan, because they read any one row or all rows of a small table. */
export const mayScan = [
  // Reads the people of an account from an index, in pages, after an erasure. With few accounts, the server sorts them.
  /^select distinct `subject_id` as `subjectId` from `alert_(people|firings)` where `account_id` = \?/,
  // The write check of the readiness deletes the only row of its own account, which every index finds.
  /^delete from `session_readings` where `account` = \? and `position` = \?$/,
  // Tombstones exist for a short time only.
  /^select .* from `erasures` limit \?$/,
  // An account has at most a hundred webhooks, and the statement reads all or most of them.
  /^select `webhook_id` as `webhookId`, [^*]* from `webhooks` where `account_id` = \?/,
  // Checks whether an account has any rule and any webhook. The first row is sufficient.
  /^select webhook_epoch, exists \(select 1 from alert_rules [^)]*\) as has_rules from accounts where account_id = \? and exists/,
  // Reads only the account, by its primary key.
  /^(select `account_id` from|select `webhook_epoch` from|update) `accounts`.* where `account_id` = \?(?: for update| limit \?)?$/,
  // Reads the settings of all accounts once per round of the purge. They have no index.
  /^select [^*]* from `accounts` where `settings` like \?$/,
  // Reads the account names of a page. With few accounts, the server reads all names from an index.
  /^select `account_id`, `name` from `accounts` where `account_id` in/,
  // Reads one index entry per account with events. With few events, the server reads all from the index.
  /^select [^*]* from `outbox` group by `account_id`$/,
  // Reads the oldest events of each account from the start of its part of an index.
  /^select \* from \(select `account_id` as `accountId`, `session_id` as `sessionId` from `outbox` where `account_id` = \?/,
  // Reads the newest audit entries, of all accounts or of one, from the end of an index.
  /^select [^*]* from `key_audit` (?:where `account_id` = \? )?order by `at_ms` desc, `entry_id` desc limit \?$/,
  // Reads the account's newest sessions from the end of an index.
  /^select [^*]* from `sessions` where `account_id` = \? and `body` is not null order by `started_at_ms` desc, `incarnation` desc limit \?$/,
  // The same for a step of a snapshot. Reads the newest reading of each session from an index.
  /^select `incarnation` as `incarnation`, `started_at_ms` as `startedAtMs`, \(select [^*]* limit 1\) as position from `sessions` as `s` where `s`\.`account_id` = \? order by `started_at_ms` desc, `incarnation` desc limit \?$/,
  // Reads one row per account, by its primary key.
  /^(select|update) .*`stream_positions` .*where `account_id`/,
  // Reads the account names of audit entries. With few accounts, the server reads all.
  /^select `account_id`, `name` from `accounts` where `account_id` in \([?, ]+\)$/,
  // An account has at most 1,000 idempotency keys. Keys with a secret of the last hour are found by age.
  /^(?:select|update|delete) .*`idempotency_keys` .*where `account_id` = \?/,
  /^delete from `idempotency_keys` where `account_id` = \?/,
  // Forgets the secrets of an hour ago. With few keys, the server reads all.
  /^update `idempotency_keys` set `secret` = \? where `created_at_ms` < \? and `secret` is not null$/,
  // Sorts the readings of a range of positions, about one page. The test of exports checks the index of the range.
  /^select s\.session_id, [^*]* where s\.account_id = \? and s\.subject_id = \?/,
  // Sorts the readings of a session of at most an hour.
  /^select r\.digest, [^*]* order by timestamp_ms desc, digest desc limit \d+$/,
  // Reads one reading per account, from an end of the account's readings.
  /^select [^*]* from stream_positions p/,
  /^select max\(newest\.timestampMs\) as timestampMs from/,
  // Sorts the deliveries of one session to one webhook.
  /^select \* from \(select [^*]* where `account_id` = \? and `status` = \? and `webhook_id` = \? and `session_id` = \?[^*]* order by `(?:event|settled)_at_ms` desc/,
  // Names many of the sessions or people of this test, whose search would cost more. Of more, it searches an index.
  /^select [^*]* from `sessions` where `account_id` = \? and `incarnation` in \(\?(?:, \?){99,}\) and `subject_id` is not null$/,
  /^update `subjects` set `alert_due_ms` = \? where `account_id` = \? and `subject_id` in \(\?(?:, \?){99,}\) and `body`/,
  // Of few hours, MariaDB reads those of the account. Of 200,000 hours, it searches each hour of each person.
  /^select \* from `subject_hours` where `account_id` = \? and `subject_id` in \([^)]*\) and `hour_ms` in \(/,
  // One row per rotation of the key.
  /^select .* from `receipt_keys` order by/,
  /^(?:select|update) .*receipt_keys`? .*where `?key_id`? = \?/,
  // Sorts or adds up the readings of one session or person in the time of one report.
  /^select (?:[^]* from \(select )?r\.timestamp_ms as atMs, /,
  // Reads the account's newest reports from the end of an index.
  /^select [^*]* from `feedback` where `account_id` = \? order by `timestamp_ms` desc, `feedback_id` desc limit \?$/,
  // Reads the facts of the account in the order of the primary key, in pages.
  /^select `fact_id` as `factId`, [^*]* from `facts` where `account_id` = \? and `is_removed` = \? order by `subject_id` asc, `fact_id` asc limit \?$/,
  // Reads the facts of a source from an index, and the consents of their people by primary key. Of few, the server reads all.
  /^select `kind`, count\(\*\) as `facts` from `facts` as `f`/,
  // A person has few source keys, links and devices, and a link few source keys. The server reads those of the account.
  /^(?:delete|select \*|update) .*(?:source_keys|person_links|devices)`? .*where `?account_id`? = \? and `?(?:subject|link)_id`? = \?(?: for update)?$/,
  /^select [^*]* from `(?:source_keys|person_links)` left join `api_keys` [^*]* order by [^*]* limit \?$/,
  // An account has at most 50 rules, with 100 people each, and all of them are read.
  /^select [^*]* from `alert_people` where `account_id` = \? order by `alert_id` asc, `subject_id` asc$/,
  /^select \* from `alert_rules` where `account_id` = \?$/,
  // Reads all rules: few accounts have any.
  /^select distinct `account_id` from `alert_rules` order by `account_id` asc$/,
  /^select [^*]* from `alert_rules`$/,
  // The same, and from an index the first person of each account who is due.
  /^select account_id as accountId, due_ms as dueMs from \(/,
  // One row per migration.
  /^select \* from `schema_migrations`$/,
];

/** A row of EXPLAIN: `detail` on SQLite, the other fields on MySQL. */
export interface PlanRow {
  readonly detail?: string;
  readonly table?: string | null;
  readonly type?: string | null;
  readonly key?: string | null;
  readonly key_len?: string | null;
  readonly Extra?: string | null;
}

/** Selects the table format, because MySQL 9 prints a tree by default and MariaDB supports only the table. */
const explainFormat = 'format=traditional ';

/** Returns the rows of EXPLAIN on either database. */
export async function planOf({ plans }: Pick<Filled, 'plans'>, { sql, bindings }: Statement): Promise<PlanRow[]> {
  if (databaseKind === 'sqlite') return plans.raw(`explain query plan ${sql}`, bindings);
  return (await plans.raw(`explain ${explainFormat}${sql}`, bindings))[0];
}

/** Returns what the statements search: the steps on SQLite, and on MySQL the table, its index, and if that is read alone. */
export async function searchesOf(filled: Pick<Filled, 'plans'>, all: readonly Statement[]): Promise<string[]> {
  const rows = (await Promise.all(all.map((it) => planOf(filled, it)))).flat();
  if (databaseKind === 'sqlite')
    return rows.map(({ detail = '' }) => detail).filter((it) => /^SEARCH|^SCAN (?!CONSTANT ROW|counted)|TEMP/.test(it));
  return rows
    .filter(({ table }) => !/^<|^$/.test(table ?? ''))
    .map(({ table, key, Extra }) => `${table} ${key}${/Using index(?! condition)/.test(Extra ?? '') ? ' alone' : ''}`);
}

/**
 * Returns the slow steps of a statement's plan. The list is empty if every search uses more index columns than the
 * account.
 */
export async function faultsOf(filled: Pick<Filled, 'plans'>, statement: Statement): Promise<PlanRow[]> {
  const isSlow = databaseKind === 'sqlite' ? isSlowStep : isSlowRow;
  return (await planOf(filled, statement)).filter((row) => isSlow(row) && !isOneAccount(row) && !isSubselect(row));
}

/**
 * Returns true if the step reads the result of a subselect, such as the first row of a queue or a bounded count. The
 * subselect has its own steps.
 */
function isSubselect({ detail = '', table }: PlanRow): boolean {
  return /^SCAN (next|pending|queues|owners|counted|recent)$/.test(detail) || /^<(derived|union)/.test(table ?? '');
}

/** Returns true if the step finds the row of an account by its id, which is the whole primary key. */
function isOneAccount({ detail = '', table, type }: PlanRow): boolean {
  const isById = /^SEARCH (accounts|alert_seeds|stream_positions) USING INDEX/.test(detail);
  return (
    isById ||
    (['accounts', 'alert_seeds', 'stream_positions'].includes(table ?? '') && ['const', 'range'].includes(type ?? ''))
  );
}

/**
 * Returns true for an index search by account alone, because it reads too many rows. A list of constants is not a
 * table.
 */
function isSlowStep({ detail = '' }: PlanRow): boolean {
  const isScan = detail.startsWith('SCAN') && !/CONSTANT ROW/.test(detail);
  return isScan || /\(account(_id)?=\?\)/.test(detail) || detail.includes('TEMP B-TREE');
}

/** Key lengths of the account alone: varchar(32) and char(12) in ASCII. */
const accountKeyLengths = ['34', '12'];

function isSlowRow({ type, key, key_len, Extra }: PlanRow): boolean {
  // The lookup by a whole key found no row, so the plan has no step, or a step without a key.
  if (type === 'const' || /noticed after reading const tables|no matching row in const table/.test(Extra ?? ''))
    return false;
  // The statement reads no table, or reads a maximum from the end of an index.
  if (/No tables used|Select tables optimized away|No matching min\/max row/.test(Extra ?? '')) return false;
  return (
    key === null ||
    type === 'ALL' ||
    type === 'index' ||
    accountKeyLengths.includes(key_len ?? '') ||
    /filesort/.test(Extra ?? '')
  );
}
