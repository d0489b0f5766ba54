/** Matches the placeholders of one row and their repetitions. */
const repeatedRows = /(\((?:\?, )*\?\))(?:, \1)+/g;

/** Shortens a statement for logs: a multi-row insert shows the placeholders of its first row only. */
export function abridge(sql: string): string {
  return sql.replace(repeatedRows, '$1, …');
}
