import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';

/** Size of a compressed body after decompression, in bytes. A larger one is forwarded as it is. */
export const inflatedBytesMax = 20_000_000;

const byteOrderMark = Buffer.from('\ufeff');
const inflaters = new Map([
  ['gzip', promisify(gunzip)],
  ['br', promisify(brotliDecompress)],
]);

/**
 * Returns the text of a body without compression and byte order mark. Undefined for an unknown encoding, and for a body that
 * is not compressed as stated or too large. `claim` reserves memory.
 */
export async function inflate(
  { 'content-encoding': encoding = 'identity' }: IncomingHttpHeaders,
  body: Buffer,
  claim: (bytes: number) => number,
): Promise<Buffer | undefined> {
  const name = encoding.trim().toLowerCase();
  const decompress = inflaters.get(name);
  if (!decompress && name !== 'identity') return undefined;
  const options = decompress && { maxOutputLength: claim(inflatedBytesMax) };
  const text = decompress ? await decompress(body, options).catch(() => undefined) : body;
  const isMarked = text?.subarray(0, byteOrderMark.length).equals(byteOrderMark);
  return isMarked ? text?.subarray(byteOrderMark.length) : text;
}
