/** Matches the placeholders of one row and their repetitions for further rows. */
const repeatedRows = /(\((?:\?, )*\?\))(?:, \1)+/g;

/** Shortens a statement for logs. For a multi-row insert, keeps the placeholders of the first row only. */
export function abridge(sql: string): string {
  return sql.replace(repeatedRows, '$1, …');
}
