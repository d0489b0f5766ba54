import type { Readable } from 'node:stream';

/** A body that is being received. */
interface Upload {
  readonly body: Readable;
  readonly accountId: string;
  bytes: number;
}

/** Counts the bytes of a body while it is received. Returns a function that ends the count. */
export type WatchUpload = (body: Readable, accountId: string) => () => void;

/**
 * Bounds the memory of the bodies that the process is receiving. Above the bound, it closes the oldest connection of the
 * account that has sent the most bytes. An account that sends slowly or often therefore loses its own uploads first.
 */
export function createUploads(bytesMax: number): WatchUpload {
  /** In the order of their start. */
  const uploads = new Set<Upload>();
  let total = 0;

  const end = (upload: Upload) => {
    if (uploads.delete(upload)) total -= upload.bytes;
  };
  const closeOldestOfLargest = () => {
    const bytesOf = new Map<string, number>();
    for (const { accountId, bytes } of uploads) bytesOf.set(accountId, (bytesOf.get(accountId) ?? 0) + bytes);
    const largest = [...bytesOf].reduce((a, b) => (b[1] > a[1] ? b : a))[0];
    const oldest = [...uploads].find(({ accountId, bytes }) => accountId === largest && bytes > 0) as Upload;
    end(oldest);
    oldest.body.destroy();
  };
  return (body, accountId) => {
    const upload: Upload = { body, accountId, bytes: 0 };
    uploads.add(upload);
    const count = ({ length }: Buffer) => {
      if (!uploads.has(upload)) return;
      upload.bytes += length;
      total += length;
      while (total > bytesMax) closeOldestOfLargest();
    };
    body.on('data', count);
    return () => {
      body.off('data', count);
      end(upload);
    };
  };
}
