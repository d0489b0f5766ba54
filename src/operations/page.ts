import { createValidationError } from '../contract/problem.js';

/** How clients read a list in pages. A cursor contains the place of the last item of a page. */
export interface Pages<Item, Place> {
  readonly size: number;
  readonly write: (last: Item) => string;
  /** Matches what `write` returns. Its groups are the fields of a place. */
  readonly pattern: RegExp;
  readonly read: (fields: readonly string[]) => Place;
}

/** Finds the page after a cursor. Reads one item more than a page, to find out whether a next page exists. */
export async function findPage<Item, Place>(
  { size, write, pattern, read }: Pages<Item, Place>,
  cursor: string | undefined,
  find: (after: Place | undefined, max: number) => Promise<readonly Item[]>,
): Promise<{ readonly page: readonly Item[]; readonly next_cursor: string | null }> {
  const found = await find(cursor === undefined ? undefined : read(decodeCursor(cursor, pattern)), size + 1);
  const page = found.slice(0, size);
  const last = page.at(-1);
  return { page, next_cursor: found.length > size && last ? encodeCursor(write(last)) : null };
}

/** Returns a cursor that clients cannot read. */
export function encodeCursor(text: string): string {
  return Buffer.from(text).toString('base64url');
}

/** Returns the fields of a cursor. Throws a ProblemError with code cursor_invalid. */
export function decodeCursor(cursor: string, pattern: RegExp): string[] {
  const found = pattern.exec(Buffer.from(cursor, 'base64url').toString());
  if (!found) throw createValidationError('cursor_invalid', { parameter: 'cursor' });
  return found.slice(1);
}
