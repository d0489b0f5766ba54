import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import type { OpenZip } from '../../recordings/zip.js';

/** Opens a ZIP of the file system. */
export async function openZip(path: string): Promise<OpenZip> {
  const { size } = await stat(path);
  return {
    size,
    read: (at, length) =>
      length === 0 ? Readable.from([]) : createReadStream(path, { start: at, end: at + length - 1 }),
    inflate,
    crc32,
  };
}

async function* inflate(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = Readable.from(packed);
  const content = source.pipe(createInflateRaw());
  source.on('error', (error) => content.destroy(error));
  try {
    yield* content as AsyncIterable<Uint8Array>;
  } finally {
    source.destroy();
    content.destroy();
  }
}
