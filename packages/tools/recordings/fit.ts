import { listMappings } from './field-map.js';
import { type Item, readWholeFile, type RecordingFile } from './measurement.js';

/** Numbers of messages and fields, from the profile of the FIT SDK (Profile.xlsx). */
const messages = { record: 20, monitoring: 55, hrv: 78 };
const times: readonly number[] = Object.values(messages);
const [timestamp, timestamp16] = [253, 26];
/** Message of a strap that stored the heart rate while it was under water, and its fields. */
const strap = { message: 132, fraction: 0, heartRates: 6, ticks: 9, packedTicks: 10 };
const ticksPerSecond = 1024;
const fields = [
  { name: 'record.heart_rate', message: messages.record, field: 3 },
  { name: 'monitoring.heart_rate', message: messages.monitoring, field: 27 },
  { name: 'hrv.time', message: messages.hrv, field: 0 },
  { name: 'record.enhanced_respiration_rate', message: messages.record, field: 108 },
  { name: 'record.respiration_rate', message: messages.record, field: 99 },
];

/** 1989-12-31T00:00:00Z, epoch s. Times of FIT count from here. */
const fitEpoch = 631_065_600;
/** Bits of the first byte of a record. */
const [isCompressed, isDefinition, hasDeveloperFields] = [0x80, 0x40, 0x20];
const again = 'copy the file from the device again';

/**
 * Reads FIT files: activities, and monitoring files of a day. A file may contain several FIT files one after another. Beats
 * of `hrv` follow the record before them. Own code, because libraries reject chained files and protocol version 0, or
 * hold all messages in memory.
 */
export async function* readFit({ path }: RecordingFile): AsyncGenerator<readonly Item[]> {
  const bytes = await readWholeFile(path);
  for (let at = 0; at < bytes.length;) {
    const { start, end } = checkFile(bytes, at);
    for (const items of itemsOf(bytes.subarray(start, end))) yield items;
    at = end + 2;
  }
}

/** Returns the range of the records of the FIT file that begins at `at`. Throws an error if the file is damaged. */
function checkFile(bytes: Buffer, at: number): { readonly start: number; readonly end: number } {
  const headerSize = bytes[at] ?? 0;
  const isHeader = headerSize >= 12 && at + headerSize <= bytes.length;
  const end = isHeader ? at + headerSize + bytes.readUInt32LE(at + 4) : Number.POSITIVE_INFINITY;
  const version = (bytes[at + 1] ?? 0) >>> 4;
  if (end + 2 > bytes.length || bytes.toString('latin1', at + 8, at + 12) !== '.FIT')
    throw new Error(`the FIT header is invalid or the file is cut off: ${again}`);
  if (version > 2) throw new Error(`FIT protocol version ${version} is not read, only 0 to 2: export the data as CSV`);
  if (checksum(bytes.subarray(at, end)) !== bytes.readUInt16LE(end))
    throw new Error(`the checksum is wrong, so the file is damaged: ${again}`);
  return { start: at + headerSize, end };
}

/** Remainders of one byte in CRC-16/ARC. */
const remainders = Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit += 1) remainder = (remainder >>> 1) ^ (remainder & 1 ? 0xa001 : 0);
  return remainder;
});

function checksum(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) sum = (sum >>> 8) ^ (remainders[(sum ^ byte) & 0xff] ?? 0);
  return sum;
}

function* itemsOf(records: Buffer): Generator<Item[]> {
  const mappings = listMappings('fit');
  const clock: StrapClock = { zeroMs: Number.NaN, ticks: 0 };
  let newest: number | undefined;
  for (const message of messagesOf(records)) {
    if (message.number === strap.message) yield listStrapItems(message, clock);
    if (!times.includes(message.number)) continue;
    newest = readTime(message, newest);
    const atMs = newest === undefined ? Number.NaN : (fitEpoch + newest) * 1000;
    const items: Item[] = [];
    for (const { name, field } of fields.filter((it) => it.message === message.number)) {
      const mapping = mappings.get(name);
      const raw = message.fields.get(field);
      if (!mapping || !raw) continue;
      for (const value of readNumbers(raw, message.isLittleEndian))
        items.push({ field: mapping.field, atMs, value: value * mapping.factor });
    }
    if (items.length > 0) yield items;
  }
}

/** The clock of a strap. Ticks count from an unknown moment, which a message with a full time states. */
interface StrapClock {
  zeroMs: number;
  ticks: number;
}

/**
 * Returns the heart rates of an `hr` message. A message with full ticks and a time starts the clock. The others hold the
 * lower 12 bits of the ticks of each value.
 */
function listStrapItems({ fields: found, isLittleEndian }: Message, clock: StrapClock): Item[] {
  const mapping = listMappings('fit').get('hr.filtered_bpm');
  const time = fullTime(found, isLittleEndian);
  const numbers = (field: number) => {
    const raw = found.get(field);
    return raw ? readNumbers(raw, isLittleEndian) : [];
  };
  const full = readTicks(found.get(strap.ticks)?.bytes, isLittleEndian);
  const [fraction = 0] = numbers(strap.fraction);
  if (time !== undefined && full[0] !== undefined)
    clock.zeroMs = (fitEpoch + time + fraction / 32_768 - full[0] / ticksPerSecond) * 1000;
  const packed = unpackTicks(found.get(strap.packedTicks)?.bytes);
  const rates = [...(found.get(strap.heartRates)?.bytes ?? [])];
  return rates.flatMap((value, index) => {
    const low = packed[index];
    // Values that fill the array have no time.
    if (!mapping || value === 0xff || (full[index] === undefined && low === undefined)) return [];
    clock.ticks = full[index] ?? clock.ticks + (((low ?? 0) - clock.ticks) & 0xfff);
    const atMs = Math.round(clock.zeroMs + (clock.ticks / ticksPerSecond) * 1000);
    return [{ field: mapping.field, atMs, value: value * mapping.factor }];
  });
}

function readTicks(bytes: Buffer | undefined, isLittleEndian: boolean): number[] {
  return Array.from({ length: Math.floor((bytes?.length ?? 0) / 4) }, (_, index) =>
    isLittleEndian ? (bytes?.readUInt32LE(4 * index) ?? 0) : (bytes?.readUInt32BE(4 * index) ?? 0),
  ).filter((ticks) => ticks !== 0xffffffff);
}

/** Returns the numbers of 12 bits, of which two share three bytes. */
function unpackTicks(bytes: Buffer | undefined): number[] {
  return Array.from({ length: Math.floor((2 * (bytes?.length ?? 0)) / 3) }, (_, index) => {
    const pair = bytes?.readUInt16LE(Math.floor((3 * index) / 2)) ?? 0;
    return index % 2 === 0 ? pair & 0xfff : pair >>> 4;
  });
}

interface RawField {
  readonly bytes: Buffer;
  readonly baseType: number;
}

interface Message {
  readonly number: number;
  readonly isLittleEndian: boolean;
  /** Time of a compressed header, s since the FIT epoch. */
  readonly time: number | undefined;
  readonly fields: ReadonlyMap<number, RawField>;
}

interface Definition extends Pick<Message, 'number' | 'isLittleEndian'> {
  readonly fields: readonly { readonly number: number; readonly size: number; readonly baseType: number }[];
  /** Total size of the fields of the developer, bytes. */
  readonly developerSize: number;
}

/** Yields the messages one by one, so that memory does not grow with their number. */
function* messagesOf(records: Buffer): Generator<Message> {
  const definitions = new Map<number, Definition>();
  let at = 0;
  let newest: number | undefined;
  const take = (size: number): Buffer => {
    if (at + size > records.length) throw new Error(`a FIT message is cut off or has no definition: ${again}`);
    at += size;
    return records.subarray(at - size, at);
  };
  const takeTriples = () => {
    const triples = take(3 * take(1).readUInt8());
    return Array.from({ length: triples.length / 3 }, (_, index) => triples.subarray(3 * index, 3 * index + 3));
  };
  while (at < records.length) {
    const header = take(1).readUInt8();
    const hasTime = (header & isCompressed) !== 0;
    if (!hasTime && header & isDefinition) {
      const start = take(4);
      const isLittleEndian = start[1] === 0;
      const number = isLittleEndian ? start.readUInt16LE(2) : start.readUInt16BE(2);
      const own = takeTriples().map(([id = 0, size = 0, baseType = 0]) => ({ number: id, size, baseType }));
      const developer = header & hasDeveloperFields ? takeTriples() : [];
      const developerSize = developer.reduce((sum, [, size = 0]) => sum + size, 0);
      definitions.set(header & 15, { number, isLittleEndian, fields: own, developerSize });
      continue;
    }
    const definition = definitions.get(hasTime ? (header >>> 5) & 3 : header & 15);
    if (!definition) throw new Error(`a FIT message is cut off or has no definition: ${again}`);
    const { number, isLittleEndian } = definition;
    const found = new Map<number, RawField>();
    for (const { number: id, size, baseType } of definition.fields) found.set(id, { bytes: take(size), baseType });
    take(definition.developerSize);
    // The header holds the lower five bits of a time that follows the previous one.
    const time = hasTime && newest !== undefined ? newest + (((header & 31) - newest) & 31) : undefined;
    newest = time ?? fullTime(found, isLittleEndian) ?? newest;
    yield { number, isLittleEndian, time, fields: found };
  }
}

function fullTime(found: ReadonlyMap<number, RawField>, isLittleEndian: boolean): number | undefined {
  const bytes = found.get(timestamp)?.bytes;
  if (bytes?.length !== 4) return undefined;
  const time = isLittleEndian ? bytes.readUInt32LE() : bytes.readUInt32BE();
  return time === 0xffffffff ? undefined : time;
}

/** Returns the time of a message, s since the FIT epoch. `timestamp_16` holds the lower 16 bits of a later time. */
function readTime({ number, time, fields: found, isLittleEndian }: Message, newest: number | undefined) {
  const full = time ?? fullTime(found, isLittleEndian);
  if (full !== undefined) return full;
  const short = found.get(timestamp16);
  if (number !== messages.monitoring || !short || newest === undefined) return newest;
  const [low] = readNumbers(short, isLittleEndian);
  return low === undefined ? newest : newest + ((low - (newest & 0xffff)) & 0xffff);
}

/** Returns the unsigned numbers of a field of one or two bytes. The highest value means that there is no value. */
function readNumbers({ bytes, baseType }: RawField, isLittleEndian: boolean): number[] {
  const uint8 = 0x02;
  const uint16 = 0x84;
  if (baseType === uint8) return [...bytes].filter((value) => value !== 0xff);
  if (baseType !== uint16) return [];
  const all = Array.from({ length: Math.floor(bytes.length / 2) }, (_, index) =>
    isLittleEndian ? bytes.readUInt16LE(2 * index) : bytes.readUInt16BE(2 * index),
  );
  return all.filter((value) => value !== 0xffff);
}
