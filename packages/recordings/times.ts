import { textMaxCharacters } from './names.js';
import { englishMonths, rewriteTime } from './written-dates.js';

/** A zone of local times: an offset from UTC in ms, or a name such as `Europe/Berlin`. */
export type Zone = number | string;

/** Order of day, month and year in a date such as 11/12/2026. */
export type DateOrder = 'dmy' | 'mdy' | 'ymd' | 'ydm';
export const dateOrders = ['dmy', 'mdy', 'ymd', 'ydm'] as const;

/** Returns the epoch ms of a local time, which is given as the epoch ms that it would have in UTC. */
export type Clock = (localMs: number) => number;

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
/** An offset changes only at the begin of a quarter of an hour. */
const quarterMs = 15 * minuteMs;
/** Bounds memory: offsets that are kept, and zones that the times of a recording name. */
const [offsetsMax, clocksMax] = [50_000, 50];
/** A time that is further back than this begins another part of a recording. */
const backMaxMs = 3 * hourMs;

/** Abbreviations of zones that stand for one offset, in hours. CST, IST and others stand for several. */
const abbreviations: Readonly<Record<string, number>> = {
  ...{ Z: 0, UTC: 0, GMT: 0, WET: 0, WEST: 1, CET: 1, CEST: 2, EET: 2, EEST: 3, JST: 9, AEST: 10, AEDT: 11 },
  ...{ EST: -5, EDT: -4, MST: -7, MDT: -6, PST: -8, PDT: -7 },
};

const zoneNames = Object.keys(abbreviations).map((it) => it.toLowerCase());

export const utc: Clock = (localMs) => localMs;

/**
 * Returns a clock of a zone. When clocks are set back, an hour of local time occurs twice: the clock then continues in the
 * direction of the recording. A local time that clocks skip counts with the offset before. Throws a RangeError for an
 * unknown name.
 */
export function createClock(zone: Zone): Clock {
  return createClocks(zone)();
}

/** Returns a function that creates clocks, each with a direction of its own. They share the offsets of the zone. */
function createClocks(zone: Zone): () => Clock {
  if (typeof zone === 'number') return () => (localMs) => localMs - zone;
  const offsetAt = createOffsets(zone);
  return () => {
    let [previous, isAscending] = [Number.NaN, true];
    return (localMs) => {
      const offsets = [offsetAt(localMs - dayMs), offsetAt(localMs + dayMs)];
      const valid = offsets.map((it) => localMs - it).filter((ms) => ms + offsetAt(ms) === localMs);
      const [first = localMs - Math.min(...offsets), second = first] = valid.sort((a, b) => a - b);
      const chosen = first === second ? first : chooseOccurrence(first, second, previous, isAscending);
      if (chosen !== previous && !Number.isNaN(previous)) isAscending = chosen > previous;
      return (previous = chosen);
    };
  };
}

function chooseOccurrence(first: number, second: number, previous: number, isAscending: boolean): number {
  if (Number.isNaN(previous)) return isAscending ? first : second;
  if (!isAscending) return second <= previous || first > previous ? second : first;
  return first >= previous || previous - second > backMaxMs ? first : second;
}

/** Returns a function that returns the offset of a zone at an epoch ms, in ms. */
function createOffsets(zone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  const known = new Map<number, number>();
  return (ms) => {
    const quarter = Math.floor(ms / quarterMs);
    const offset = known.get(quarter) ?? readOffset(/GMT([+-].*)$/.exec(format.format(quarter * quarterMs))?.[1] ?? '');
    if (known.size < offsetsMax) known.set(quarter, offset);
    return offset;
  };
}

/** Returns the ms of an offset such as `+01`, `+0100` or `-05:30`. 0 for an empty text. */
function readOffset(text: string): number {
  const [, sign, hours = 0, minutes = 0] = /^([+-])(\d\d?):?(\d\d)?$/.exec(text) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * hourMs + Number(minutes) * minuteMs);
}

/** A date and time as it is written. */
interface Written {
  /** The three numbers of the date, in the order of the text. */
  readonly date: readonly [number, number, number];
  /** The orders that the text may have. Several only for numbers, of which a year of two digits may be any. */
  readonly orders: readonly DateOrder[];
  /** Dates with points begin with the day, unless the column shows otherwise. */
  readonly hasPoints: boolean;
  readonly msOfDay: number;
  /** Empty for a local time. */
  readonly zone: string;
}

const numbers = /^(\d{1,4})([-/.])(\d\d?)\2(\d{4}|\d\d?)(?=[T ,]|$)/;
const compact = /^(\d{4})(\d\d)(\d\d)(?=[T ]\d{4})/;
const dayFirst = /^(\d\d?)[ -]([a-z]{3,9})\.?,?[ -](\d{4}|\d\d)(?=[T ,]|$)/i;
const monthFirst = /^([a-z]{3,9})\.? (\d\d?),? (\d{4})(?=[T ,]|$)/i;
const timeOfDay =
  /^(?:T|,? )? ?(\d\d?)(:?)(\d\d)(?:\2(\d\d)(?:[.,:](\d{1,9}))?)?[\s\u202f]*([ap]\.?[\s\u00a0]?m\b\.?)?/i;
const zoned =
  /^\s*(?:(Z|[A-Z]{3,4})?([+-]\d\d?(?::?\d\d)?)?(?: ?\([^)]*\)| ?\[[\w/+-]+\])?|\[?([A-Z]\w+(?:\/[\w+-]+)+)\]?)$/i;

/** The usual form. It is tried first, because recordings have millions of times. */
const usual = /^(\d{4})-(\d\d)-(\d\d)[T ]([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(\.\d{1,9})? ?(Z|[+-]\d\d:?\d\d)?$/;
/** Only a whole column shows that the day follows the year. */
const yearFirst: readonly DateOrder[] = ['ymd', 'ydm'];
/** Years from here on are of the Thai calendar, which is this many years ahead. */
const [thaiYearMin, thaiYears] = [2400, 543];

/** Returns the parts of a text. Undefined if the text has no date and time. */
function readWritten(source: string): Written | undefined {
  if (source.length > textMaxCharacters) return undefined;
  const parts = usual.exec(source);
  if (parts) {
    const ms = (Number(parts[4]) * 60 + Number(parts[5])) * minuteMs + Number(parts[6]) * 1000;
    const msOfDay = ms + Math.floor(Number(parts[7] ?? 0) * 1000);
    const date = [Number(parts[1]), Number(parts[2]), Number(parts[3])] as const;
    return { date, orders: yearFirst, hasPoints: false, msOfDay, zone: parts[8] ?? '' };
  }
  const written = readPlain(source.trim().replace(/^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i, ''));
  const plain = written ? undefined : rewriteTime(source, zoneNames);
  return plain === undefined ? written : readPlain(plain);
}

/** Reads a date of numbers or with the English name of a month, and a time of day. */
function readPlain(text: string): Written | undefined {
  const date = readDate(text);
  if (!date) return undefined;
  const clock = timeOfDay.exec(text.slice(date.length));
  if (!clock) return undefined;
  const [, hours = '', , minutes = '', seconds = '0', fraction = '0', half] = clock;
  const zone = zoned.exec(text.slice(date.length + clock[0].length));
  if (!zone) return undefined;
  const [, letters = '', offset = '', name = ''] = zone;
  if (letters !== '' && !(letters.toUpperCase() in abbreviations)) return undefined;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (/^p/i.test(half) ? 12 : 0);
  const isHour = half === undefined ? hour < 24 : Number(hours) >= 1 && Number(hours) <= 12;
  if (!isHour || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  const ms = Math.floor(Number(`0.${fraction}`) * 1000);
  const msOfDay = hour * hourMs + Number(minutes) * minuteMs + Number(seconds) * 1000 + ms;
  return { ...date, msOfDay, zone: name || offset || letters.toUpperCase() };
}

function readDate(text: string): (Omit<Written, 'msOfDay' | 'zone'> & { readonly length: number }) | undefined {
  const [whole = '', one = '', separator, two = '', three = ''] = numbers.exec(text) ?? [];
  const size = { length: whole.length };
  if (one.length > 2) {
    if (one.length !== 4 || three.length > 2) return undefined;
    return { ...size, date: [Number(one), Number(two), Number(three)], orders: yearFirst, hasPoints: false };
  }
  if (whole !== '') {
    if (three.length < 2) return undefined;
    const orders = three.length === 4 ? (['dmy', 'mdy'] as const) : (['dmy', 'mdy', 'ymd'] as const);
    return { ...size, date: [Number(one), Number(two), Number(three)], orders, hasPoints: separator === '.' };
  }
  const [joined, ...parts] = compact.exec(text) ?? [];
  if (joined !== undefined) {
    const [year = 0, month = 0, day = 0] = parts.map(Number);
    return { length: joined.length, date: [year, month, day], orders: ['ymd'], hasPoints: false };
  }
  const [, day = '', name = '', year = ''] = dayFirst.exec(text) ?? [];
  const [, otherName = '', otherDay = '', otherYear = ''] = monthFirst.exec(text) ?? [];
  const month = englishMonths.indexOf((name || otherName).slice(0, 3).toLowerCase()) + 1;
  if (month === 0) return undefined;
  const length = (dayFirst.exec(text) ?? monthFirst.exec(text))?.[0].length ?? 0;
  const date = [Number(day || otherDay), month, Number(year || otherYear)] as const;
  return { length, date, orders: ['dmy'], hasPoints: false };
}

function sortParts([one, two, three]: Written['date'], order: DateOrder): [number, number, number] {
  if (order === 'ymd') return [toYear(one), two, three];
  if (order === 'ydm') return [toYear(one), three, two];
  return order === 'dmy' ? [toYear(three), two, one] : [toYear(three), one, two];
}

function toYear(year: number): number {
  return year < 100 ? 2000 + year : year >= thaiYearMin ? year - thaiYears : year;
}

/** Returns true for a date of the calendar: there is no 30 February. */
function isDate(date: Written['date'], order: DateOrder): boolean {
  const [year, month, day] = sortParts(date, order);
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return month >= 1 && month <= 12 && day >= 1 && day <= days;
}

/** Returns the orders in which the text is a date of the calendar, each date once. */
function listOrders({ date, orders }: Written): DateOrder[] {
  const valid = orders.filter((it) => isDate(date, it));
  return valid.filter(
    (it, at) => valid.findIndex((other) => `${sortParts(date, other)}` === `${sortParts(date, it)}`) === at,
  );
}

/** Returns the order of a date that has only one. Dates with points begin with the day. */
function findOrder(written: Written): DateOrder | undefined {
  if (written.orders.length === 1 || written.orders === yearFirst) return written.orders[0];
  const valid = listOrders(written);
  return valid.length === 1 || (written.hasPoints && valid[0] === 'dmy') ? valid[0] : undefined;
}

/** The order of the dates of a column. Undefined if all of its dates have one order anyway. */
export type ColumnOrder = DateOrder | 'unclear' | 'contradictory' | undefined;

/** Decides the order of day, month and year for a whole column: `add` takes each text, `decide` returns the order. */
export function createOrderFinder(): { add: (text: string) => void; decide: () => ColumnOrder } {
  let left: DateOrder[] = [...dateOrders];
  let [isUnclear, hasPoints] = [false, true];
  let [isMonthFirst, isDayFirst] = [false, false];
  const [firsts, thirds] = [new Set<number>(), new Set<number>()];
  return {
    add(text) {
      const written = readWritten(text);
      if (!written || written.orders.length < 2) return;
      const { date, orders } = written;
      if (orders === yearFirst) {
        const [isYmd, isYdm] = [isDate(date, 'ymd'), isDate(date, 'ydm')];
        isMonthFirst ||= isYmd && !isYdm;
        isDayFirst ||= isYdm && !isYmd;
        return;
      }
      left = left.filter((it) => orders.includes(it) && isDate(date, it));
      isUnclear ||= listOrders(written).length > 1;
      hasPoints &&= written.hasPoints;
      if (firsts.size < 2) firsts.add(date[0]);
      if (thirds.size < 2) thirds.add(date[2]);
    },
    decide() {
      if (isMonthFirst || isDayFirst) return isMonthFirst ? 'ymd' : 'ydm';
      // Days change more often than years.
      if (left.includes('ymd') && firsts.size > 1 && thirds.size === 1) left = left.filter((it) => it !== 'ymd');
      if (left.includes('ymd') && firsts.size === 1 && thirds.size > 1) left = ['ymd'];
      if (left.length === 0) return 'contradictory';
      if (left.length === 1) return left[0];
      if (left.includes('dmy') && hasPoints && firsts.size > 0) return 'dmy';
      return isUnclear ? 'unclear' : undefined;
    },
  };
}

/** Returns a function that creates a clock of a zone. It returns undefined for a name that is no zone. */
export type FindClock = (zone: string) => Clock | undefined;

/** Returns a `FindClock` that loads each zone once, also one that does not exist: loading takes longer than reading a sample. */
export function createZones(): FindClock {
  const known = new Map<string, (() => Clock) | undefined>();
  return (zone) => {
    if (!known.has(zone) && known.size < clocksMax) known.set(zone, tryZone(zone));
    return known.get(zone)?.();
  };
}

function tryZone(zone: string): (() => Clock) | undefined {
  try {
    return createClocks(zone);
  } catch {
    return undefined;
  }
}

/** Returns the epoch ms of a text, or NaN. `order` is that of the dates of a list, if it shows it. */
export type TimeReader = (text: string, order?: DateOrder) => number;

/**
 * Returns a function that returns the epoch ms of a text, or NaN: a date-time as in ISO 8601 or as spreadsheets write it, e.g.
 * `2026-11-21 09:30:00+01`, `11/21/2026 9:30 PM`, `20.11.2026 9:30` or `2026-11-21 09:30 Europe/Berlin`, or a number of
 * seconds, ms, µs or ns since 1970. A time without a zone is one of `clock`. A date that has several orders is NaN without
 * `order`.
 */
export function createTimeReader(clock: Clock, order?: DateOrder, findClock = createZones()): TimeReader {
  const clocks = new Map<string, Clock | undefined>();
  return (text, shown = order) => {
    const epoch = readEpoch(text);
    if (epoch !== undefined) return epoch;
    const written = readWritten(text);
    if (!written) return Number.NaN;
    const { date, orders, msOfDay, zone } = written;
    const chosen = shown !== undefined && orders.includes(shown) ? shown : findOrder(written);
    if (chosen === undefined || !isDate(date, chosen)) return Number.NaN;
    const [year, month, day] = sortParts(date, chosen);
    const localMs = Date.UTC(year, month - 1, day) + msOfDay;
    if (zone === '') return clock(localMs);
    if (/^[+-]/.test(zone)) return localMs - readOffset(zone);
    const hours = abbreviations[zone];
    if (hours !== undefined) return localMs - hours * hourMs;
    if (!clocks.has(zone) && clocks.size < clocksMax) clocks.set(zone, findClock(zone));
    return clocks.get(zone)?.(localMs) ?? Number.NaN;
  };
}

/** Returns the epoch ms of a number of seconds, ms, µs or ns. Undefined for another text. */
function readEpoch(text: string): number | undefined {
  const [, digits = '', fraction = ''] = /^(\d{9,10}|\d{12,13}|\d{15,16}|\d{18,19})(\.\d+)?$/.exec(text) ?? [];
  if (digits === '') return undefined;
  const factor = digits.length < 11 ? 1000 : 10 ** -(3 * Math.floor((digits.length - 12) / 3));
  return Math.round(Number(digits + fraction) * factor);
}

/** Returns true if a text is a time. Its date may have several orders. */
export function isTime(text: string): boolean {
  return readEpoch(text) !== undefined || readWritten(text) !== undefined;
}

/** Returns the ms since midnight of a time as it is written, 0 for a date alone. Undefined for another text. */
export function readMsOfDay(text: string): number | undefined {
  const epoch = readEpoch(text);
  if (epoch !== undefined) return epoch % dayMs;
  return isDateAlone(text) ? 0 : readWritten(text)?.msOfDay;
}

/** Returns true for a date without a time of day. */
export function isDateAlone(text: string): boolean {
  return text.length < textMaxCharacters && readDate(text.trim())?.length === text.trim().length;
}

/** Returns the epoch ms of a text, or NaN. See `createTimeReader`. */
export function readTime(text: string, clock: Clock = utc): number {
  return createTimeReader(clock)(text);
}
