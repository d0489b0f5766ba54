import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import type { Reserve } from './request-body.js';

/** Size of a compressed body after decompression, in bytes. A larger one is forwarded as it is. */
export const inflatedBytesMax = 20_000_000;

const byteOrderMark = Buffer.from('\ufeff');
const inflaters = new Map([
  ['gzip', promisify(gunzip)],
  ['br', promisify(brotliDecompress)],
]);

/**
 * Returns the text of a body without compression and byte order mark. Undefined for an unknown encoding, and for a body that
 * is not compressed as stated, is too large, or finds too little memory. `reserve` reserves memory for the text.
 */
export async function inflate(
  { 'content-encoding': encoding = 'identity' }: IncomingHttpHeaders,
  body: Buffer,
  { bytesMax, reserve }: { readonly bytesMax: number; readonly reserve: Reserve },
): Promise<Buffer | undefined> {
  const name = encoding.trim().toLowerCase();
  const decompress = inflaters.get(name);
  if (!decompress) return name === 'identity' ? omitMark(body) : undefined;
  const maxOutputLength = Math.min(inflatedBytesMax, bytesMax);
  if (!reserve(maxOutputLength)) return undefined;
  const text = await decompress(body, { maxOutputLength }).catch(() => undefined);
  reserve((text?.length ?? 0) - maxOutputLength);
  return text && omitMark(text);
}

function omitMark(text: Buffer): Buffer {
  const { length } = byteOrderMark;
  return text.subarray(0, length).equals(byteOrderMark) ? text.subarray(length) : text;
}
