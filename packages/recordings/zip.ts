/**
 * Reads the files in a ZIP one by one, without writing them. Own code, because Node and browsers have the compression, and
 * only the list of the files is missing. The list at the end of a ZIP counts, as for all programs that open one.
 * The reader of `@zip.js/zip.js` 2.24.0 makes the import script of a page 58 kB larger (93 kB now). Its tolerant mode reads a ZIP
 * whose list lies outside of it, and the others refuse differences between the list and the files, which the list decides here.
 */

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

/** A ZIP as the caller opened it, and what its platform offers. */
export interface OpenZip {
  /** Size in bytes. */
  readonly size: number;
  /** Yields these bytes. */
  readonly read: (at: number, length: number) => AsyncIterable<Uint8Array>;
  /** Inflates raw DEFLATE. Throws any error if the data is damaged. */
  readonly inflate: (packed: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
  /** Continues the CRC-32 of earlier bytes. */
  readonly crc32: (bytes: Uint8Array, sum: number) => number;
}

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

/** Returns true for the first bytes of a ZIP. */
export function isZip(head: Uint8Array): boolean {
  return head.length >= 4 && viewOf(head).getUint32(0, true) === signatures.file;
}

/** Returns the files in a ZIP. Rejects a damaged or encrypted one with an error of one line. */
export async function readZip(file: OpenZip): Promise<ZipEntry[]> {
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
    .map((place) => ({ name: place.name, chunks: { [Symbol.asyncIterator]: () => readEntry(file, place, count) } }));
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

async function readAt(file: OpenZip, at: number, length: number): Promise<DataView> {
  if (at < 0 || at + length > file.size) throw new Error(damaged);
  const all = new Uint8Array(length);
  let filled = 0;
  for await (const chunk of file.read(at, length)) {
    if (filled + chunk.length > length) throw new Error(damaged);
    all.set(chunk, filled);
    filled += chunk.length;
  }
  if (filled < length) throw new Error(damaged);
  return viewOf(all);
}

/** Reads the list of the files. */
async function listPlaces(file: OpenZip): Promise<Place[]> {
  const { size } = file;
  const tail = await readAt(file, Math.max(0, size - endMaxBytes), Math.min(size, endMaxBytes));
  const end = findEnd(tail);
  const list = {
    count: tail.getUint16(end + 10, true),
    bytes: tail.getUint32(end + 12, true),
    at: tail.getUint32(end + 16, true),
  };
  if (end >= 20 && tail.getUint32(end - 20, true) === signatures.locator64) {
    const large = await readAt(file, readSize(tail, end - 12), 56);
    if (large.getUint32(0, true) !== signatures.end64) throw new Error(damaged);
    Object.assign(list, { count: readSize(large, 32), bytes: readSize(large, 40), at: readSize(large, 48) });
  }
  if (list.bytes > listMaxBytes || list.count > entriesMax)
    throw new Error(`the ZIP lists more than ${entriesMax} files: extract it, and pass the file in it`);
  const bytes = await readAt(file, list.at, list.bytes);
  const places: Place[] = [];
  for (let at = 0; at + 46 <= bytes.byteLength && places.length < list.count;) {
    if (bytes.getUint32(at, true) !== signatures.entry) throw new Error(damaged);
    const [nameBytes, extraBytes] = [bytes.getUint16(at + 28, true), bytes.getUint16(at + 30, true)];
    const next = at + 46 + nameBytes + extraBytes + bytes.getUint16(at + 32, true);
    if (next > bytes.byteLength) throw new Error(damaged);
    places.push(readPlace(bytes, at, nameBytes, extraBytes));
    at = next;
  }
  if (places.length < list.count) throw new Error(damaged);
  return places;
}

/** Returns the position of the end record, which is the last one: a comment may contain anything. */
function findEnd(tail: DataView): number {
  for (let at = tail.byteLength - 22; at >= 0; at -= 1)
    if (tail.getUint32(at, true) === signatures.end && at + 22 + tail.getUint16(at + 20, true) === tail.byteLength)
      return at;
  throw new Error(damaged);
}

function readPlace(bytes: DataView, at: number, nameBytes: number, extraBytes: number): Place {
  const name = new Uint8Array(bytes.buffer, bytes.byteOffset + at + 46, nameBytes);
  const place = {
    name: new TextDecoder().decode(name),
    flags: bytes.getUint16(at + 8, true),
    method: bytes.getUint16(at + 10, true),
    checksum: bytes.getUint32(at + 16, true),
    packedBytes: bytes.getUint32(at + 20, true),
    bytes: bytes.getUint32(at + 24, true),
    at: bytes.getUint32(at + 42, true),
  };
  // The extra fields have, in this order, those numbers that do not fit into 32 bits.
  const [from, until] = [at + 46 + nameBytes, at + 46 + nameBytes + extraBytes];
  for (let field = from; field + 4 <= until; field += 4 + bytes.getUint16(field + 2, true)) {
    if (bytes.getUint16(field, true) !== 1) continue;
    let value = field + 4;
    for (const name of ['bytes', 'packedBytes', 'at'] as const)
      if (place[name] === in64) {
        place[name] = readSize(bytes, value, until);
        value += 8;
      }
  }
  return place;
}

/** Returns a number of 64 bits. */
function readSize(bytes: DataView, at: number, until = bytes.byteLength): number {
  if (at < 0 || at + 8 > until) throw new Error(damaged);
  const size = Number(bytes.getBigUint64(at, true));
  if (!Number.isSafeInteger(size)) throw new Error(damaged);
  return size;
}

/** Yields the content of a file. A file that is larger than it states, or has another checksum, is an error. */
async function* readEntry(file: OpenZip, place: Place, count: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  const { method, packedBytes, bytes, checksum, at } = place;
  if (method !== stored && method !== deflated)
    throw new Error(`the ZIP is compressed with method ${method}, which is not read: extract it`);
  const header = await readAt(file, at, 30);
  if (header.getUint32(0, true) !== signatures.file) throw new Error(damaged);
  const start = at + 30 + header.getUint16(26, true) + header.getUint16(28, true);
  if (packedBytes === 0) return;
  if (start + packedBytes > file.size) throw new Error(damaged);
  const packed = file.read(start, packedBytes);
  let [size, sum] = [0, 0];
  for await (const chunk of method === stored ? packed : inflated(file, packed)) {
    count(chunk.length);
    size += chunk.length;
    sum = file.crc32(chunk, sum);
    if (size > bytes) throw new Error(damaged);
    yield chunk;
  }
  if (size !== bytes || sum !== checksum) throw new Error(damaged);
}

async function* inflated(file: OpenZip, packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const content = file.inflate(packed)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await content.next().catch(() => {
        throw new Error(damaged);
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await content.return?.();
  }
}
