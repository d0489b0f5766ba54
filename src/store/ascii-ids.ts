const ascii = /^[\x00-\x7f]*$/;

/**
 * Returns the ids that a row can have. Columns of ids are ASCII, and MySQL rejects a comparison of such a column with any
 * other character instead of finding nothing.
 */
export function asciiIds(ids: readonly string[]): string[] {
  return ids.filter((id) => ascii.test(id));
}
