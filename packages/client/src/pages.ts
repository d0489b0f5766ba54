import { requireNoNull } from './transport.js';

interface Page {
  readonly next_cursor: string | null;
}

/** A list in pages. `await` returns the first page, and `for await` iterates the items of all pages. */
export interface Pages<Listed extends Page, Item> extends PromiseLike<Listed>, AsyncIterable<Item> {
  /** Iterates the pages, for fields beside the items. */
  pages(): AsyncIterable<Listed>;
}

/** Returns the list. `load` requests the page at a cursor, without one the first page. Nothing is requested before use. */
export function pagesOf<Listed extends Page, Item>(
  load: (cursor?: string) => Promise<Listed>,
  itemsOf: (page: Listed) => readonly Item[],
): Pages<Listed, Item> {
  async function* pages() {
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page: Listed = await load(cursor);
      yield page;
      cursor = page.next_cursor;
    }
  }
  return {
    pages,
    then: (resolve, reject) => load().then(resolve, reject),
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* itemsOf(page);
    },
  };
}

/** Returns the query of a page. Rejects null instead of a filter. */
export function at<Filter extends object>(cursor: string | undefined, filter: Filter | undefined): Filter {
  requireNoNull({ filter });
  return { ...filter, ...(cursor !== undefined && { cursor }) } as Filter;
}
