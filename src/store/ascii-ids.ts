const ascii = /^[\x00-\x7f]*$/;

/**
 * Returns the ids that contain only ASCII. Id columns are ASCII, and MySQL rejects a comparison with other characters
 * instead of finding no row.
 */
export function asciiIds(ids: readonly string[]): string[] {
  return ids.filter((id) => ascii.test(id));
}
