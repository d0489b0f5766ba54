/** The places of values of one row, and of many more like it. */
const repeatedRows = /(\((?:\?, )*\?\))(?:, \1)+/g;

/** A statement for reading: of an insert of hundreds of rows the places of the first. */
export function abridge(sql: string): string {
  return sql.replace(repeatedRows, '$1, …');
}
