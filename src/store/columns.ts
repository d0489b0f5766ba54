import type { Knex } from 'knex';

type Value = string | number | null;
type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;
export type Columns<Field extends string> = Readonly<Record<Field, string>>;

/** Returns the columns of fields with spaces between them, e.g. `{ atMs: 'at_ms', seq: 'seq' }` for `atMs seq`. */
export function nameColumns<const Fields extends string>(fields: Fields): Columns<Words<Fields>> {
  const toColumn = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(fields.split(' ').map((field) => [field, toColumn(field)])) as Columns<Words<Fields>>;
}

/** Returns a row: the values of fields under the names of their columns. An absent value becomes null. */
export function toColumns<Field extends string>(
  columns: Columns<Field>,
  values: { readonly [Name in NoInfer<Field>]?: Value | undefined },
): Record<string, Value> {
  // A loop, because each group of readings writes hundreds of rows.
  const row: Record<string, Value> = {};
  for (const field in columns) row[columns[field]] = values[field] ?? null;
  return row;
}

/** A row of an object: null in place of absent fields. */
export type Nullable<T> = {
  readonly [Name in keyof T]-?: undefined extends T[Name] ? Exclude<T[Name], undefined> | null : T[Name];
};

/** Returns the fields of a row that are not null. */
export function omitNulls<T extends object>(row: Nullable<T>): T {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as T;
}

/**
 * Selects the rows after a row in the order of some columns: ascending with `>`, descending with `<`. The first condition
 * is redundant, but only this condition can use an index. The equality keeps MariaDB from searching the index of a later
 * column in addition.
 */
function selectAfter(
  query: Knex.QueryBuilder,
  operator: '<' | '>',
  [first, ...others]: ReadonlyArray<readonly [column: string, value: string | number]>,
): Knex.QueryBuilder {
  if (!first) return query.whereRaw('false');
  const [column, value] = first;
  if (others.length === 0) return query.where(column, operator, value);
  return query.where(column, `${operator}=`, value).where((rest) => {
    void rest
      .where(column, operator, value)
      .orWhere((same) => void selectAfter(same.where(column, value), operator, others));
  });
}

/** The values of columns in a row. Undefined: the rows begin with the first one. */
type Place = Readonly<Record<string, string | number | undefined>>;

/** Orders a query by columns, ascending or descending, and selects the rows after a place. */
export function startAfter(query: Knex.QueryBuilder, order: 'asc' | 'desc', place: Place): Knex.QueryBuilder {
  const ordered = query.orderBy(Object.keys(place).map((column) => ({ column, order })));
  const after = Object.entries(place).flatMap(([column, value]) =>
    value === undefined ? [] : [[column, value] as const],
  );
  return after.length > 0 ? selectAfter(ordered, order === 'asc' ? '>' : '<', after) : ordered;
}

/** Returns a query for the rows of several queries, each with its own limit. */
export function unionAll(knex: Knex, queries: readonly Knex.QueryBuilder[]): Knex.QueryBuilder {
  return knex.unionAll(queries.map((query) => knex.select('*').from(query.as('next'))));
}

const ascii = /^[\x00-\x7f]*$/;

/**
 * Returns the ids that contain only ASCII. Id columns are ASCII, and MySQL returns an error when they are compared with
 * other characters.
 */
export function filterAsciiIds(ids: readonly string[]): string[] {
  return ids.filter((id) => ascii.test(id));
}
