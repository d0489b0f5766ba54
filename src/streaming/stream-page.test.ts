import { expect, test } from 'vitest';
import { grantOf } from '../../testkit/grants.js';
import { wholeAccount } from '../contract/whose.js';
import { type EventPage, type PageRequest, sharePages } from './stream-page.js';

const request: PageRequest = { caller: grantOf(), whose: wholeAccount, after: 7 };

function countingReader() {
  const reads: PageRequest[] = [];
  const release: Array<() => void> = [];
  const readPage = (read: PageRequest) => {
    reads.push(read);
    return new Promise<EventPage>((resolve) => release.push(() => resolve({ events: [], isFull: false })));
  };
  return { reads, release, readPage };
}

test('streams at the same position share one query', async () => {
  const { reads, release, readPage } = countingReader();
  const shared = sharePages(readPage);
  const pages = [shared(request), shared({ ...request }), shared({ ...request, after: 8 })];
  await new Promise(setImmediate);
  release.forEach((it) => it());
  await Promise.all(pages);
  expect(reads).toEqual([request, { ...request, after: 8 }]);
});

test('a stream that is woken during a query gets a newer page', async () => {
  const { reads, release, readPage } = countingReader();
  const shared = sharePages(readPage);
  const pages = [shared(request)];
  await new Promise(setImmediate);
  pages.push(shared(request));
  await new Promise(setImmediate);
  release.forEach((it) => it());
  await Promise.all(pages);
  expect(reads).toEqual([request, request]);
});
