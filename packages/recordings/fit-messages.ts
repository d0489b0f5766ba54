import type { SkippedEntry } from './measurement.js';

/** One message of a FIT file. */
export interface Message {
  readonly number: number;
  /** Time of the message, s since the FIT epoch. */
  readonly time: number | undefined;
  /** Returns the bytes of a field. */
  bytes(field: number): Uint8Array | undefined;
  /** Returns the unsigned numbers of a field. The highest value of a type means that there is no value. */
  read(field: number): number[];
  /** Counts the values that are present, with that of the time. */
  count(): { readonly seen: number; readonly hasTime: boolean };
}

interface Field {
  readonly id: number;
  readonly size: number;
  readonly baseType: number;
  /** Position in a message, bytes after its header. */
  readonly at: number;
}

interface Definition {
  readonly number: number;
  readonly isLittleEndian: boolean;
  /** By id. Read once, because a message may be one byte long and have 255 empty fields. */
  readonly fields: ReadonlyMap<number, Field>;
  /** Size of a message without its header, bytes. */
  readonly size: number;
}

/** Bits of the first byte of a record. */
const [isCompressed, isDefinition, hasDeveloperFields, notOfData] = [0x80, 0x40, 0x20, 0x70];
const timestamp = 253;
/** Sizes of the types enum, uint8, uint16, uint32 and byte. */
const sizes: Readonly<Record<number, number>> = { 0: 1, 0x02: 1, 0x84: 2, 0x86: 4, 0x0d: 1 };
/** A time that is later than the one before by more than this time is damaged, s. */
const jumpMax = 86_400;
/** Lower times count from the start of the device, s. */
const earliest = 0x10000000;
/** Maximum distance to the message after a damaged record. Bounds the time for a hostile file. */
const searchedBytes = 65_536;

/**
 * Yields the messages one by one, so that memory does not grow with their number. After a damaged record, continues with
 * the next message that has a definition and a time near the last one.
 */
export function* messagesOf(records: Uint8Array): Generator<Message | SkippedEntry> {
  const definitions = new Map<number, Definition>();
  let [newest, suspect] = [Number.NaN, Number.NaN];
  const findNext = (from: number) => {
    const end = Math.min(from + searchedBytes, records.length);
    for (let at = from; at < end; at += 1) {
      const { time = Number.NaN } = readMessage(records, at, definitions, newest) ?? {};
      if (Number.isNaN(newest) ? time >= earliest : Math.abs(time - newest) <= jumpMax) return at;
    }
    return records.length;
  };
  for (let at = 0; at < records.length;) {
    const header = records[at] ?? 0;
    const definition = (header & 0xc0) === isDefinition ? readDefinition(records, at) : undefined;
    if (definition) {
      definitions.set(header & 15, definition);
      at = definition.end;
      continue;
    }
    const message = readMessage(records, at, definitions, newest);
    if (message) at = message.end;
    else at = findNext(at + 1);
    // Two messages with the same jump are a pause.
    const isJump =
      message?.time !== undefined && message.time - newest > jumpMax && !(message.time - suspect <= jumpMax);
    if (isJump) suspect = message.time ?? suspect;
    else newest = message?.time ?? newest;
    yield message && !isJump ? message : { skipped: 'a damaged record of a FIT file' };
  }
}

/** Returns the definition at a position. Undefined if it is damaged. */
function readDefinition(records: Uint8Array, at: number): (Definition & { readonly end: number }) | undefined {
  let size = 0;
  const readFields = (from: number): Field[] =>
    Array.from({ length: records[from] ?? 0 }, (_, index) => {
      const at = from + 1 + 3 * index;
      const [id = 0, bytes = 0, baseType = 0] = records.subarray(at, at + 3);
      return { id, size: bytes, baseType, at: (size += bytes) - bytes };
    });
  const [header = 0, , order = 2] = records.subarray(at, at + 3);
  const fields = readFields(at + 5);
  const hasDeveloper = (header & hasDeveloperFields) !== 0;
  const developer = hasDeveloper ? readFields(at + 6 + 3 * fields.length) : [];
  const end = at + 6 + 3 * (fields.length + developer.length) + (hasDeveloper ? 1 : 0);
  if (order > 1 || end > records.length) return undefined;
  const number = viewOf(records).getUint16(at + 3, order === 0);
  return { number, isLittleEndian: order === 0, fields: new Map(fields.map((it) => [it.id, it])), size, end };
}

/** Returns the message at a position. Undefined if it has no definition or is cut off. */
function readMessage(
  records: Uint8Array,
  start: number,
  definitions: ReadonlyMap<number, Definition>,
  newest: number,
): (Message & { readonly end: number }) | undefined {
  const header = records[start] ?? 0;
  const hasTime = (header & isCompressed) !== 0;
  const definition = definitions.get(hasTime ? (header >>> 5) & 3 : header & 15);
  const end = start + 1 + (definition?.size ?? 0);
  if (!definition || end > records.length || (!hasTime && header & notOfData)) return undefined;
  const bytes = (id: number) => {
    const { at = 0, size } = definition.fields.get(id) ?? {};
    return size === undefined ? undefined : records.subarray(start + 1 + at, start + 1 + at + size);
  };
  const read = (id: number) =>
    readNumbers(bytes(id), definition.fields.get(id)?.baseType ?? -1, definition.isLittleEndian);
  // The header holds the lower five bits of a time that follows the previous one.
  const time = hasTime && !Number.isNaN(newest) ? newest + (((header & 31) - newest) & 31) : read(timestamp)[0];
  const count = () => {
    let seen = 0;
    for (const { id, baseType } of definition.fields.values()) seen += countPresent(bytes(id), baseType);
    return { seen, hasTime: read(timestamp).length > 0 };
  };
  return { number: definition.number, time, bytes, read, count, end };
}

/** Sizes of the other types, e.g. signed ones, without texts. The value of a field without one has these bytes. */
const otherSizes: Readonly<Record<number, number>> = {
  ...{ 0x01: 1, 0x0a: 1, 0x83: 2, 0x8b: 2, 0x85: 4, 0x8c: 4, 0x88: 4, 0x89: 8, 0x8e: 8, 0x8f: 8, 0x90: 8 },
};
const zeroTypes = new Set([0x0a, 0x8b, 0x8c, 0x90]);
const signedTypes = new Set([0x01, 0x83, 0x85, 0x8e]);

/** Counts the values of a field. A text is one. */
function countPresent(bytes: Uint8Array | undefined, baseType: number): number {
  const size = sizes[baseType] ?? otherSizes[baseType];
  if (!bytes || bytes.length === 0) return 0;
  if (size === undefined) return bytes[0] === 0 ? 0 : 1;
  let count = 0;
  for (let at = 0; at + size <= bytes.length; at += size) {
    const value = [...bytes.subarray(at, at + size)];
    const absent = zeroTypes.has(baseType) ? 0 : 0xff;
    const isAbsent = value.every((it) => it === absent || (signedTypes.has(baseType) && it === 0x7f));
    count += isAbsent ? 0 : 1;
  }
  return count;
}

function readNumbers(bytes: Uint8Array | undefined, baseType: number, isLittleEndian: boolean): number[] {
  const size = sizes[baseType];
  if (!bytes || size === undefined) return [];
  return Array.from({ length: Math.floor(bytes.length / size) }, (_, index) =>
    readUnsigned(bytes.subarray(size * index, size * (index + 1)), isLittleEndian),
  ).filter((value) => value !== 2 ** (8 * size) - 1);
}

function readUnsigned(bytes: Uint8Array, isLittleEndian: boolean): number {
  const add = (sum: number, byte: number) => sum * 256 + byte;
  return isLittleEndian ? bytes.reduceRight(add, 0) : bytes.reduce(add, 0);
}

/** Returns a view that reads numbers of several bytes. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
