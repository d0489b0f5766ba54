import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { retry } from './retry.js';
import { addEntries, codedTables, codeRows, type Evidence, findEvidence, toEntry, transactCoded } from './row-codes.js';

const name = 'codes';
/** How long a process may continue what another one has begun. */
const beginMs = 86_400_000;

interface Mark {
  readonly check_value: string;
  readonly since_ms: number;
}

/**
 * Codes the rows of a database that an earlier version wrote, at the first start. Enters the number of the rows and the end
 * in the chain, so that a repetition is detected.
 *
 * A mark in the database states that rows got codes. Only with SECRETS_KEY can somebody write a mark that lets a process
 * continue after a crash. Without a mark, no row gets a code if any row has one: the mark was removed, so that forged rows
 * become valid.
 */
export async function introduceCodes(knex: Knex, nowMs: number): Promise<void> {
  const evidence = findEvidence(knex);
  const begun = evidence && (await begin(knex, evidence, nowMs));
  if (!begun) return;
  await codeRows(knex, (code) => code === null, true);
  await end(knex, (rows, check_value) => rows.where({ name, ...begun }).update({ check_value }));
}

/** Returns true if a process has coded the rows, or has begun to. */
export async function hasFirstCodes(knex: Knex): Promise<boolean> {
  return (await findMark(knex)) !== undefined;
}

/** Rejects in a process without the key of the service, unless the first start will code the rows that it writes. */
export async function requireEvidence(knex: Knex): Promise<void> {
  if (!findEvidence(knex) && (await hasFirstCodes(knex)))
    throw new Error(
      'SECRETS_KEY is required, because the service refuses source keys and links without a code: set it to the key of ' +
        'the service, and run the command again',
    );
}

function findMark(knex: Knex): Promise<Mark | undefined> {
  return knex('secrets_keys').where({ name }).first('check_value', 'since_ms');
}

/** Returns the mark of a coding that this process may do. Undefined if it is done, or must not be done. */
async function begin(knex: Knex, evidence: Evidence, nowMs: number): Promise<Mark | undefined> {
  const signMark = (sinceMs: number) =>
    evidence.sign(`first codes since ${sinceMs}`).map((code) => code.padEnd(64, code));
  const stored = await findMark(knex);
  if (stored) {
    const sinceMs = Number(stored.since_ms);
    return signMark(sinceMs).includes(stored.check_value) && nowMs - sinceMs < beginMs ? stored : undefined;
  }
  const insert = (rows: Knex.QueryBuilder, check_value: string) =>
    rows.insert({ name, check_value, since_ms: nowMs }).onConflict('name').ignore();
  if (await hasTrace(knex)) return void (await end(knex, insert));
  await retry(() => insert(knex('secrets_keys'), signMark(nowMs)[0] ?? ''));
  // Another process may have been first.
  return begin(knex, evidence, nowMs);
}

/** Replaces or adds the mark, and enters that in the chain unless another process was first. */
async function end(
  knex: Knex,
  change: (rows: Knex.QueryBuilder, check_value: string) => PromiseLike<unknown>,
): Promise<void> {
  const value = randomBytes(32).toString('hex');
  await retry(() =>
    transactCoded(knex, async (transaction) => {
      await change(transaction('secrets_keys'), value);
      const isMine = (await findMark(transaction))?.check_value === value;
      if (isMine) addEntries(transaction, [toEntry('coded', 'process', {})]);
    }),
  );
}

/** Returns true if a process has coded a row or stored an entry of its own. Version 1.0.0 does neither. */
async function hasTrace(knex: Knex): Promise<boolean> {
  if (await knex('access_entries').where({ account_id: '-' }).first('chain_id')) return true;
  for (const table of codedTables) if (await knex(table.name).whereNotNull('code').first('code')) return true;
  return false;
}
