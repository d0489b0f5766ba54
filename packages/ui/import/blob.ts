import type { OpenFile } from '../../recordings/open-file.js';
import type { OpenZip } from '../../recordings/zip.js';

/** Opens a file of the reader. `onRead` is called with the number of bytes that were read. */
export function openBlob(file: File, onRead: (bytes: number) => void): OpenFile {
  let bytes = 0;
  async function* read(part: Blob) {
    for await (const chunk of iterate(part.stream())) {
      // The first bytes and the list of a ZIP are read in addition.
      bytes = Math.min(bytes + chunk.length, file.size);
      onRead(bytes);
      yield chunk;
    }
  }
  const chunks = { [Symbol.asyncIterator]: () => read(file) };
  return { name: file.name, path: file.name, chunks, openZip: async () => openZip(file, read) };
}

function openZip(file: File, read: (part: Blob) => AsyncIterable<Uint8Array>): OpenZip {
  return {
    size: file.size,
    read: (at, length) => read(file.slice(at, at + length)),
    inflate: (packed) => iterate(toStream(packed).pipeThrough(new DecompressionStream('deflate-raw'))),
    crc32,
  };
}

/** Not every browser iterates over streams. */
async function* iterate(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function toStream(chunks: AsyncIterable<Uint8Array>): ReadableStream<BufferSource> {
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value as BufferSource);
    },
    cancel: () => void iterator.return?.(),
  });
}

const polynomial = 0xedb8_8320;
const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ polynomial : sum >>> 1;
  return sum;
});

/** Continues the CRC-32 of earlier bytes. */
function crc32(bytes: Uint8Array, sum: number): number {
  let register = ~sum;
  for (const byte of bytes) register = (register >>> 8) ^ (table[(register ^ byte) & 255] ?? 0);
  return ~register >>> 0;
}
