import type { Knex } from 'knex';
import type { StoredAlertRule } from './alerts.js';
import { type DigestId, findErasures } from './erased-ids.js';
import { listPages } from './people.js';
import { changeRows } from './row-codes.js';
import type { ReadScope } from './scope.js';
import { findTables } from './tables/index.js';

/*
 * An earlier release beside this one erases a person, but not the rows of tables that it does not know. Rows from before
 * the erasure of their person are leftovers: no list shows them, and the purge deletes them.
 */

/** Returns the rows whose people were not erased since. Rows of nobody remain. */
export async function omitLeftovers<Row extends { readonly subjectId: string | null; readonly createdAtMs: number }>(
  scope: ReadScope,
  rows: readonly Row[],
  digestId: DigestId,
): Promise<Row[]> {
  const erased = await findErasures(
    scope,
    rows.flatMap(({ subjectId }) => subjectId ?? []),
    digestId,
  );
  return rows.filter(({ subjectId, createdAtMs }) => createdAtMs > (erased.get(subjectId ?? '') ?? -Infinity));
}

/** Returns alert rules without the people who were erased since the creation of the rule. */
export async function omitErasedPeople(
  scope: ReadScope,
  rules: readonly StoredAlertRule[],
  digestId: DigestId,
): Promise<StoredAlertRule[]> {
  const named = rules.flatMap(({ alertId, createdAtMs, subjectIds = [] }) =>
    subjectIds.map((subjectId) => ({ alertId, subjectId, createdAtMs })),
  );
  const kept = await omitLeftovers(scope, named, digestId);
  if (kept.length === named.length) return [...rules];
  return rules.map((rule) => {
    const own = kept.filter(({ alertId }) => alertId === rule.alertId).map(({ subjectId }) => subjectId);
    return rule.subjectIds ? { ...rule, subjectIds: own } : rule;
  });
}

const leftoverTables = findTables(({ erasesBySubject }) => erasesBySubject?.time !== undefined);

/** Bounds the work of a start. */
const erasuresMax = 100_000;

/** Returns the accounts with an erasure at `sinceMs` or later, of the newest `erasuresMax`. */
export async function findErasingAccounts(knex: Knex, sinceMs: number): Promise<Set<string>> {
  const newest = knex('erased_ids').where('erased_at_ms', '>=', sinceMs).orderBy('erased_at_ms', 'desc');
  return new Set(await newest.limit(erasuresMax).pluck('account_id'));
}

/** Yields the ids of people in the tables that may have leftovers, in pages. */
export async function* listLeftoverPeople({ knex, accountId }: ReadScope): AsyncGenerator<string[]> {
  for (const { name } of leftoverTables) {
    const people = knex(name).where({ account_id: accountId }).where('subject_id', '>', '');
    const pages = listPages<{ subjectId: string }>(people.distinct({ subjectId: 'subject_id' }), 'subjectId');
    for await (const page of pages) yield page.map(({ subjectId }) => subjectId);
  }
}

/** Deletes the rows of people that are not newer than the newest erasure of their person. */
export async function deleteLeftovers(
  { knex, accountId }: ReadScope,
  subjectIds: readonly string[],
  digestId: DigestId,
): Promise<void> {
  for (const [subjectId, erasedAtMs] of await findErasures({ knex, accountId }, subjectIds, digestId))
    for (const { name, erasesBySubject } of leftoverTables) {
      const old = (rows: Knex.QueryBuilder) =>
        rows
          .where({ account_id: accountId, subject_id: subjectId })
          .whereRaw(`${erasesBySubject?.time} <= ?`, [erasedAtMs]);
      // Most erased people have no leftover.
      if (await old(knex(name)).first('subject_id')) await changeRows(knex, name, old, (on) => old(on(name)).delete());
    }
}
