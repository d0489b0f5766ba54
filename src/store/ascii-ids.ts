const ascii = /^[\x00-\x7f]*$/;

/**
 * Returns the ids that contain only ASCII. Id columns are ASCII, and MySQL returns an error when they are compared with
 * other characters.
 */
export function filterAsciiIds(ids: readonly string[]): string[] {
  return ids.filter((id) => ascii.test(id));
}
