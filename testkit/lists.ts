import type { TestService } from './service.js';

type Reader = Pick<TestService, 'get'>;
type Query = Readonly<Record<string, string>>;

/** Returns functions that read a page of a list, and all its pages. */
export function listAt<Page extends { readonly next_cursor: string | null }>(path: string) {
  const page = ({ get }: Reader, query: Query = {}): Promise<Page> => get(`${path}?${new URLSearchParams(query)}`);
  /** Reads the pages from a cursor on, or all. `between` runs after each page. */
  const pages = async (service: Reader, query: Query = {}, from: string | null = '', between = async () => {}) => {
    const read: Page[] = [];
    for (let cursor = from; cursor !== null; await between()) {
      const next = await page(service, { ...query, ...(cursor && { cursor }) });
      read.push(next);
      cursor = next.next_cursor;
    }
    return read;
  };
  return { page, pages };
}
