import { createValidationError } from '../contract/problem.js';

/** Pattern of a number that is not negative. */
export const digits = '\\d{1,15}';

export type Cursors<Place> = ReturnType<typeof createCursors<Place & object>>;

/**
 * Returns the cursors of a list, which clients cannot read. A cursor contains the place of the last item of a page: the
 * fields of `patterns` in this order. Fields whose patterns have digits are numbers. `start` distinguishes orders of a list.
 */
export function createCursors<Place extends object>(
  patterns: { readonly [Field in keyof Place & string]: string },
  start = '',
) {
  const fields = Object.keys(patterns) as Array<keyof Place & string>;
  const pattern = new RegExp(`^${start}${fields.map((field) => `(${patterns[field]})`).join('\\.')}$`);
  return {
    write: (place: Place): string =>
      Buffer.from(start + fields.map((field) => place[field]).join('.')).toString('base64url'),
    /** Throws a ProblemError with code cursor_invalid. */
    read(cursor: string): Place {
      const found = pattern.exec(Buffer.from(cursor, 'base64url').toString());
      if (!found) throw createValidationError('cursor_invalid', { parameter: 'cursor' });
      const read = (field: keyof Place & string, text = '') => (patterns[field].includes('\\d') ? Number(text) : text);
      return Object.fromEntries(fields.map((field, index) => [field, read(field, found[index + 1])])) as Place;
    },
  };
}

/** Finds the page after a cursor. Reads one item more than a page, to find out whether a next page exists. */
export async function findPage<Place extends object, Item extends Place>(
  cursors: Cursors<Place>,
  size: number,
  cursor: string | undefined,
  find: (after: Place | undefined, max: number) => Promise<readonly Item[]>,
): Promise<{ readonly page: readonly Item[]; readonly next_cursor: string | null }> {
  const found = await find(cursor === undefined ? undefined : cursors.read(cursor), size + 1);
  const page = found.slice(0, size);
  const last = page.at(-1);
  return { page, next_cursor: found.length > size && last ? cursors.write(last) : null };
}
