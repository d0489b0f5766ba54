import { getFitManufacturerName, getFitSportName, getFitSubSportName } from 'fit-file-parser/profile';
import { listMappings } from './field-map.js';
import { type Message, messagesOf, viewOf } from './fit-messages.js';
import { readWhole } from './chunks.js';
import type { Seen } from './account.js';
import type { Item, Measurement, Recording } from './measurement.js';
import { classifySport, isOnFoot, toExercise } from './sports.js';

/** Numbers of messages and fields, from the profile of the FIT SDK (Profile.xlsx). */
const messages = {
  file: 0,
  sport: 12,
  session: 18,
  record: 20,
  device: 23,
  monitoring: 55,
  hrv: 78,
  strap: 132,
  hrvValue: 371,
};
/** Messages of whole days: monitoring_hr_data, hrv_status_summary. */
const daily = new Set([211, 370]);
const timestamp16 = 26;
const fields = [
  { name: 'record.heart_rate', message: messages.record, field: 3 },
  { name: 'record.cadence', message: messages.record, field: 4 },
  { name: 'monitoring.heart_rate', message: messages.monitoring, field: 27 },
  { name: 'hrv.time', message: messages.hrv, field: 0 },
  { name: 'hrv_value.value', message: messages.hrvValue, field: 0 },
  { name: 'record.enhanced_respiration_rate', message: messages.record, field: 108 },
  { name: 'record.respiration_rate', message: messages.record, field: 99 },
];
const times = new Set(fields.map(({ message }) => message));

/** Sessions of a file, e.g. a swim, a ride and a run. Bounds the time for a hostile file, because each record looks for its own. */
const sessionsMax = 100;
/** 1989-12-31T00:00:00Z, epoch s. Times of FIT count from here. */
const fitEpoch = 631_065_600;
const again = 'copy the file from the device again';

/**
 * Reads FIT files: activities, and monitoring files of a day. A file may contain several FIT files one after another. Beats
 * of `hrv` follow the record before them. Own code, because libraries reject chained files, protocol version 0 and files
 * with a damaged record, or hold all messages in memory.
 */
export async function* readFit({ chunks }: Recording): AsyncGenerator<readonly Item[]> {
  const bytes = await readWhole(chunks);
  const files: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const { start, end } = checkFile(bytes, at);
    if (checksum(bytes.subarray(at, end)) !== viewOf(bytes).getUint16(end, true))
      yield [{ skipped: 'the checksum of a FIT file, which has a damaged record', values: 0 }];
    files.push(bytes.subarray(start, end));
    at = end + 2;
  }
  // The files of a chain are one recording: the session of one may be in another. Each names its own devices.
  const summaries = files.map(readSummary);
  const sessions = summaries.flatMap((it) => it.sessions).slice(0, sessionsMax);
  const toMs = (seconds: number) => (fitEpoch + seconds) * 1000;
  // For the heart rates of other recordings. Those of the file state the sport themselves.
  yield sessions.flatMap(({ sport, from, to }) => toExercise(sport, toMs(from), toMs(to)) ?? []);
  for (const [index, records] of files.entries())
    for (const items of itemsOf(records, { ...(summaries[index] ?? readSummary(records)), sessions })) yield items;
}

/** Returns the range of the records of the FIT file that begins at `at`. Throws an error if the file is cut off. */
function checkFile(bytes: Uint8Array, at: number): { readonly start: number; readonly end: number } {
  const headerSize = bytes[at] ?? 0;
  const isHeader = headerSize >= 12 && at + headerSize <= bytes.length;
  const end = isHeader ? at + headerSize + viewOf(bytes).getUint32(at + 4, true) : Number.POSITIVE_INFINITY;
  const version = (bytes[at + 1] ?? 0) >>> 4;
  if (end + 2 > bytes.length || String.fromCharCode(...bytes.subarray(at + 8, at + 12)) !== '.FIT')
    throw new Error(`the FIT header is invalid or the file is cut off: ${again}`);
  if (version > 2) throw new Error(`FIT protocol version ${version} is not read, only 0 to 2: export the data as CSV`);
  return { start: at + headerSize, end };
}

/** Returns CRC-16/ARC. */
function checksum(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xa001 : 0);
  }
  return sum;
}

function* itemsOf(records: Uint8Array, { sessions, device, beatDevice }: Summary): Generator<Item[]> {
  const mappings = listMappings('fit');
  const readStrap = createStrapReader();
  const findSport = (seconds: number) =>
    sessions.find(({ from, to }) => seconds >= from && seconds <= to)?.sport ?? sport;
  let newest: number | undefined;
  let sport: string | undefined;
  for (const message of messagesOf(records)) {
    if ('skipped' in message) yield [{ ...message, values: 0 }];
    else yield [countValues(message)];
    if ('skipped' in message) continue;
    if (message.number === messages.strap)
      yield readStrap(message).map((it) => ({ ...it, activity: classifySport(findSport(it.atMs / 1000 - fitEpoch)) }));
    else if (message.number === messages.sport) sport = nameSport(message, 0, 1);
    if (daily.has(message.number))
      yield [{ skipped: 'a value of a whole day', as: 'day_summary', values: countDay(message) }];
    if (!times.has(message.number)) continue;
    newest = readTime(message, newest);
    const seconds = newest ?? Number.NaN;
    const done = findSport(seconds);
    const source = message.number === messages.hrv ? beatDevice : device;
    const shared = { atMs: (fitEpoch + seconds) * 1000, activity: classifySport(done), source };
    const items: Item[] = [];
    for (const { name, field } of fields.filter((it) => it.message === message.number)) {
      const mapping = mappings.get(name);
      const isRate = mapping?.field === 'steps_last_minute';
      if (!mapping || (isRate && !isOnFoot(done))) continue;
      for (const value of message.read(field))
        items.push({ ...shared, field: mapping.field, value: value * mapping.factor, isRate });
    }
    if (items.length > 0) yield items;
  }
}

/** Counts the values of a message. Unknown messages have names of numbers in the profile. */
function countValues(message: Message): Seen {
  const { seen, hasTime } = message.count();
  const isRead =
    times.has(message.number) || daily.has(message.number) || Object.values(messages).includes(message.number);
  // Messages of the file, its devices and its sessions say what the others mean.
  const isContext =
    isRead && !times.has(message.number) && !daily.has(message.number) && message.number !== messages.strap;
  const inStrap =
    message.number === messages.strap ? seen - [...(message.bytes(6) ?? [])].filter((it) => it < 0xff).length : 0;
  return {
    seen,
    context: isContext ? seen : Math.max(inStrap, hasTime ? 1 : 0),
    ...(isRead || seen === 0 ? {} : { unknown: [`FIT message ${message.number}`] }),
  };
}

function countDay(message: Message): number {
  const { seen, hasTime } = message.count();
  return seen - (hasTime ? 1 : 0);
}

interface Summary {
  /** The end of a session is written after its records. */
  readonly sessions: { readonly from: number; readonly to: number; readonly sport: string | undefined }[];
  /** The device that measured the heart rates of records. Undefined if the file does not name it. */
  readonly device: string | undefined;
  /** The device that measured the beats. */
  readonly beatDevice: string | undefined;
}

function readSummary(records: Uint8Array): Summary {
  const sessions: Summary['sessions'] = [];
  let device: string | undefined;
  let [hasStrap, hasStored] = [false, false];
  for (const message of messagesOf(records)) {
    if ('skipped' in message) continue;
    const [start, elapsedMs] = [message.read(2)[0], message.read(7)[0]];
    if (message.number === messages.session && start !== undefined && sessions.length < sessionsMax) {
      const to = elapsedMs === undefined ? (message.time ?? start) : start + elapsedMs / 1000;
      sessions.push({ from: start, to, sport: nameSport(message, 5, 6) });
    } else if (message.number === messages.file) device = nameDevice(message);
    else if (message.number === messages.device) hasStrap ||= isStrap(message);
    else if (message.number === messages.strap) hasStored = true;
  }
  const beatDevice = hasStrap ? strapName : device;
  // Where a strap stored the heart rate, the watch recorded that of its own sensor.
  return { sessions, device: hasStored ? device : beatDevice, beatDevice };
}

function nameSport(message: Message, sport: number, subSport: number): string | undefined {
  const [number] = message.read(sport);
  if (number === undefined) return undefined;
  // A number that the profile does not have yet is an exercise, too.
  return `${getFitSportName(number) ?? 'unnamed'} ${getFitSubSportName(message.read(subSport)[0]) ?? ''}`;
}

function nameDevice(message: Message): string | undefined {
  const name = new TextDecoder().decode(message.bytes(8)).replace(/\0.*$/s, '');
  return name || (getFitManufacturerName(message.read(1)[0]) ?? undefined);
}

const strapName = 'heart rate strap';

/** Returns true for a heart rate sensor over ANT+ or Bluetooth. */
function isStrap(message: Message): boolean {
  const [type, source] = [message.read(1)[0], message.read(25)[0]];
  return (type === 120 && source === 1) || (type === 1 && source === 3);
}

/** Returns the time of a message, s since the FIT epoch. `timestamp_16` holds the lower 16 bits of a later time. */
function readTime({ number, time, read }: Message, newest: number | undefined): number | undefined {
  if (time !== undefined) return time;
  const [low] = number === messages.monitoring ? read(timestamp16) : [];
  return low === undefined || newest === undefined ? newest : newest + ((low - (newest & 0xffff)) & 0xffff);
}

const ticksPerSecond = 1024;

/**
 * Returns a reader of `hr` messages, in which a strap sends the heart rate that it stored under water. Its ticks count from
 * an unknown moment, which a message with a time states. A message without one holds the lower 12 bits of the ticks of each
 * value. Ticks of 32 bits start again at 0.
 */
function createStrapReader(): (message: Message) => Measurement[] {
  const mapping = listMappings('fit').get('hr.filtered_bpm');
  const clock = { zeroMs: Number.NaN, ticks: 0 };
  return ({ time, read, bytes }) => {
    const [fraction = 0] = [...read(0).map((it) => it / 32_768), ...read(1).map((it) => it / 256)];
    const full = read(9);
    const packed = unpackTicks(bytes(10));
    return [...(bytes(6) ?? [])].flatMap((value, index) => {
      const [ticks, low] = [full[index], packed[index]];
      // Values that fill the array have no time.
      if (!mapping || (ticks === undefined && (low === undefined || (value === 0xff && low === 0xfff)))) return [];
      const isStart = index === 0 && time !== undefined;
      const step = ticks === undefined ? ((low ?? 0) - clock.ticks) & 0xfff : (ticks - clock.ticks) | 0;
      clock.ticks = isStart && ticks !== undefined ? ticks : clock.ticks + step;
      if (isStart) clock.zeroMs = (fitEpoch + time + fraction - clock.ticks / ticksPerSecond) * 1000;
      const atMs = Math.round(clock.zeroMs + (clock.ticks / ticksPerSecond) * 1000);
      return value === 0xff ? [] : [{ field: mapping.field, atMs, value: value * mapping.factor, source: strapName }];
    });
  };
}

/** Returns the numbers of 12 bits, of which two share three bytes. */
function unpackTicks(bytes: Uint8Array = new Uint8Array()): number[] {
  return Array.from({ length: Math.floor((2 * bytes.length) / 3) }, (_, index) => {
    const pair = viewOf(bytes).getUint16(Math.floor((3 * index) / 2), true);
    return index % 2 === 0 ? pair & 0xfff : pair >>> 4;
  });
}
