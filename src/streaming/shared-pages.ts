import type { Page, PageRequest } from './stream-page.js';

type ReadPage = (request: PageRequest) => Promise<Page>;

/**
 * Returns a function that reads a page once for all streams that request it in the same event-loop iteration.
 * Otherwise, each reading would cause one query per stream of its account. A request never gets a page whose query has
 * already started, because this page could miss a reading that was committed later.
 */
export function sharePages(readPage: ReadPage): ReadPage {
  const waiting = new Map<string, Promise<Page>>();
  return (request) => {
    const key = JSON.stringify([request.accountId, request.sessionId, request.after]);
    const shared = waiting.get(key);
    if (shared) return shared;
    const page = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      waiting.delete(key);
      return readPage(request);
    });
    waiting.set(key, page);
    return page;
  };
}
