/**
 * Reads the files in a ZIP one by one, without writing them. Own code, because Node has the compression, and only the list
 * of the files is missing. The list at the end of a ZIP counts, as for all programs that open one.
 */
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { crc32, createInflateRaw } from 'node:zlib';

/** Largest list of files, bytes, and largest number of files. An export of ten years has about 20,000. */
const [listMaxBytes, entriesMax] = [64 * 2 ** 20, 200_000];
/** Maximum of all files of a ZIP after inflating. Ten years of Apple Health have about 5 GB. */
const totalMaxBytes = 16 * 2 ** 30;
/** The end record has 22 bytes and a comment of up to 65,535. */
const endMaxBytes = 65_557;
const signatures = { end: 0x06054b50, end64: 0x06064b50, locator64: 0x07064b50, entry: 0x02014b50, file: 0x04034b50 };
/** The value of a field that is stored in the fields of ZIP64. */
const in64 = 0xffff_ffff;
const [stored, deflated] = [0, 8];
const damaged = 'the ZIP is damaged or cut off: export it again';

export interface ZipEntry {
  /** Name with its folders. It is never used as a path. */
  readonly name: string;
  /** The content. Each iteration begins at the first byte. Throws an error if it is damaged or too large. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

interface Place {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly checksum: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly at: number;
}

/** Returns the files in a ZIP. Rejects a damaged or encrypted one with an error of one line. */
export async function readZip(path: string): Promise<ZipEntry[]> {
  const file = await open(path);
  try {
    const places = await listPlaces(file);
    const isEncrypted = places.some(({ flags }) => (flags & 1) === 1);
    if (isEncrypted) throw new Error('the ZIP is encrypted: extract it, and pass the file in it');
    let total = 0;
    const count = (bytes: number) => {
      total += bytes;
      if (total > totalMaxBytes) throw new Error(`the files in the ZIP have more than ${totalMaxBytes} bytes`);
    };
    return places
      .filter(({ name }) => !name.endsWith('/'))
      .map((place) => ({ name: place.name, chunks: { [Symbol.asyncIterator]: () => inflate(path, place, count) } }));
  } finally {
    await file.close();
  }
}

async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read({ buffer, position: at });
  if (bytesRead < length) throw new Error(damaged);
  return buffer;
}

/** Reads the list of the files. */
async function listPlaces(file: FileHandle): Promise<Place[]> {
  const { size } = await file.stat();
  const tail = await readAt(file, Math.max(0, size - endMaxBytes), Math.min(size, endMaxBytes));
  const end = findEnd(tail);
  const list = {
    count: tail.readUInt16LE(end + 10),
    bytes: tail.readUInt32LE(end + 12),
    at: tail.readUInt32LE(end + 16),
  };
  if (end >= 20 && tail.readUInt32LE(end - 20) === signatures.locator64) {
    const large = await readAt(file, readSize(tail, end - 12), 56);
    if (large.readUInt32LE(0) !== signatures.end64) throw new Error(damaged);
    Object.assign(list, { count: readSize(large, 32), bytes: readSize(large, 40), at: readSize(large, 48) });
  }
  if (list.bytes > listMaxBytes || list.count > entriesMax)
    throw new Error(`the ZIP lists more than ${entriesMax} files: extract it, and pass the file in it`);
  const bytes = await readAt(file, list.at, list.bytes);
  const places: Place[] = [];
  for (let at = 0; at + 46 <= bytes.length && places.length < list.count;) {
    if (bytes.readUInt32LE(at) !== signatures.entry) throw new Error(damaged);
    const [nameBytes, extraBytes] = [bytes.readUInt16LE(at + 28), bytes.readUInt16LE(at + 30)];
    const next = at + 46 + nameBytes + extraBytes + bytes.readUInt16LE(at + 32);
    if (next > bytes.length) throw new Error(damaged);
    places.push(readPlace(bytes, at, nameBytes, extraBytes));
    at = next;
  }
  if (places.length < list.count) throw new Error(damaged);
  return places;
}

/** Returns the position of the end record, which is the last one: a comment may contain anything. */
function findEnd(tail: Buffer): number {
  for (let at = tail.length - 22; at >= 0; at -= 1)
    if (tail.readUInt32LE(at) === signatures.end && at + 22 + tail.readUInt16LE(at + 20) === tail.length) return at;
  throw new Error(damaged);
}

function readPlace(bytes: Buffer, at: number, nameBytes: number, extraBytes: number): Place {
  const place = {
    name: bytes.toString('utf8', at + 46, at + 46 + nameBytes),
    ...{
      flags: bytes.readUInt16LE(at + 8),
      method: bytes.readUInt16LE(at + 10),
      checksum: bytes.readUInt32LE(at + 16),
    },
    ...{
      packedBytes: bytes.readUInt32LE(at + 20),
      bytes: bytes.readUInt32LE(at + 24),
      at: bytes.readUInt32LE(at + 42),
    },
  };
  // The extra fields have, in this order, those numbers that do not fit into 32 bits.
  const extra = bytes.subarray(at + 46 + nameBytes, at + 46 + nameBytes + extraBytes);
  for (let from = 0; from + 4 <= extra.length; from += 4 + extra.readUInt16LE(from + 2)) {
    if (extra.readUInt16LE(from) !== 1) continue;
    let value = from + 4;
    for (const field of ['bytes', 'packedBytes', 'at'] as const)
      if (place[field] === in64) {
        place[field] = readSize(extra, value);
        value += 8;
      }
  }
  return place;
}

/** Returns a number of 64 bits. */
function readSize(bytes: Buffer, at: number): number {
  if (at < 0 || at + 8 > bytes.length) throw new Error(damaged);
  const size = Number(bytes.readBigUInt64LE(at));
  if (!Number.isSafeInteger(size)) throw new Error(damaged);
  return size;
}

/** Yields the content of a file. A file that is larger than it states, or has another checksum, is an error. */
async function* inflate(path: string, place: Place, count: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  const { method, packedBytes, bytes, checksum, at } = place;
  if (method !== stored && method !== deflated)
    throw new Error(`the ZIP is compressed with method ${method}, which is not read: extract it`);
  const file = await open(path);
  let start: number;
  try {
    const header = await readAt(file, at, 30);
    if (header.readUInt32LE(0) !== signatures.file) throw new Error(damaged);
    start = at + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  } finally {
    await file.close();
  }
  if (packedBytes === 0) return;
  const packed = createReadStream(path, { start, end: start + packedBytes - 1 });
  const content = method === stored ? packed : packed.pipe(createInflateRaw());
  if (content !== packed) packed.on('error', (error) => content.destroy(error));
  let [size, sum] = [0, 0];
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      count(chunk.length);
      size += chunk.length;
      sum = crc32(chunk, sum);
      if (size > bytes) throw new Error(damaged);
      yield chunk;
    }
    if (size !== bytes || sum !== checksum) throw new Error(damaged);
  } catch (error) {
    throw (error as { code?: string }).code?.startsWith('Z_') ? new Error(damaged) : error;
  } finally {
    packed.destroy();
    content.destroy();
  }
}
