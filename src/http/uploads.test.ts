import { PassThrough } from 'node:stream';
import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createUploads } from './batches.js';

const bytesMax = 10;

/** Starts uploads. `send` returns the accounts whose connections are open afterwards. */
function startUploads(...accountIds: string[]) {
  const watch = createUploads(bytesMax);
  const uploads = accountIds.map((accountId) => {
    const body = new PassThrough();
    return { accountId, body, end: watch(body, accountId) };
  });
  return {
    uploads,
    async send(index: number, bytes: number) {
      uploads[index]?.body.write(Buffer.alloc(bytes));
      await nextTick();
      return uploads.filter(({ body }) => !body.destroyed).map(({ accountId }) => accountId);
    },
  };
}

test('uploads up to the bound stay open, and one more byte closes the oldest upload of the account with the most bytes', async () => {
  const { send } = startUploads('slow', 'slow', 'other');
  await send(0, 4);
  await send(1, 2);
  expect(await send(2, 4)).toEqual(['slow', 'slow', 'other']);
  expect(await send(2, 1)).toEqual(['slow', 'other']);
  // The bytes of the closed upload no longer count.
  expect(await send(2, 3)).toEqual(['slow', 'other']);
});

test('an upload without bytes stays open, because closing it frees no memory', async () => {
  const { send } = startUploads('large', 'large', 'other');
  await send(1, 6);
  expect(await send(2, 5)).toEqual(['large', 'other']);
});

test('a complete upload no longer counts', async () => {
  const { send, uploads } = startUploads('one', 'two');
  await send(0, 10);
  uploads[0]?.end();
  expect(await send(1, 10)).toEqual(['one', 'two']);
});
