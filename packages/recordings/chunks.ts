import type { Chunks } from './measurement.js';
import { createCommentFilter } from './xml-comments.js';

/** Maximum size of a recording that is read as a whole, bytes. A day of Fitbit or a FIT activity has about 1 MB. */
const wholeMaxBytes = 64 * 1024 * 1024;
/** Number of bytes that are enough to recognize a format. */
const headBytes = 4096;

/** The content is larger than its format may be. */
export class TooLargeError extends Error {}

/** Returns all bytes. Rejects more than 64 MB with a `TooLargeError`, so that memory is bounded. */
export async function readWhole(chunks: Chunks): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > wholeMaxBytes)
      throw new TooLargeError(
        'the file has more than 64 MB, the most that FIT and JSON may have: split it by day or activity',
      );
    parts.push(chunk);
  }
  return concatenate(parts, size);
}

/** Returns the text of a JSON file. Rejects more than 64 MB. */
export async function readWholeText(chunks: Chunks): Promise<string> {
  return new TextDecoder().decode(await readWhole(chunks));
}

/** Yields the text piece by piece, without its byte order mark. */
export async function* readText(chunks: Chunks): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

/** Returns the first 4 kB, of XML those without comments: a comment may be longer. */
export async function readHead(chunks: Chunks): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    size += chunk.length;
    if (size >= headBytes) break;
  }
  const head = concatenate(parts, size).subarray(0, headBytes);
  return /^\s*</.test(new TextDecoder().decode(head)) ? readXmlHead(chunks) : head;
}

async function readXmlHead(chunks: Chunks): Promise<Uint8Array> {
  const dropComments = createCommentFilter();
  let text = '';
  for await (const piece of readText(chunks)) {
    text += dropComments(piece);
    if (text.length >= headBytes) break;
  }
  return new TextEncoder().encode(text + dropComments()).subarray(0, headBytes);
}

function concatenate(parts: readonly Uint8Array[], size: number): Uint8Array {
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
