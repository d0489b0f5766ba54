import type { Knex } from 'knex';

/**
 * Selects the rows with these keys of two columns. Uses equalities for a single key, because MariaDB scans the whole
 * index for a list of one pair.
 */
export function whereKeys(
  query: Knex.QueryBuilder,
  [one, other]: readonly [string, string],
  keys: ReadonlyArray<[string, string | number]>,
): Knex.QueryBuilder {
  const [only, ...more] = keys;
  if (only && more.length === 0) return query.where({ [one]: only[0], [other]: only[1] });
  return query.whereIn([one, other], keys);
}
