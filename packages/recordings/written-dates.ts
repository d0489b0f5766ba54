/*
 * Dates and times as phones show them: `Nov 20, 2026 at 9:00 AM`, `20. Nov. 2026 um 09:00`, `2026-11-20 上午9:00`. The words of
 * months, days of the week, and those between a date and its time are those of Unicode's CLDR, which `Intl` contains.
 */

/** Languages of the apps of Apple, Google, Samsung, Garmin and Fitbit, in which they write dates. */
const languages =
  'en de fr es it pt nl sv da nb fi pl cs sk hu ro hr sl bg el tr ru uk ja zh zh-TW ko ar he th vi id ms hi ca lt lv et'.split(
    ' ',
  );

/** Halves of the day in languages that write them beside 12 hours. CLDR's releases differ in them. */
const halves: readonly (readonly [half: 'am' | 'pm', words: string])[] = [
  ['am', '上午 午前 오전 凌晨 清晨 早上 早晨 朝 ص صباحا صباحًا öö π.μ πμ dop dopol fm ap sa pg дп de ก่อนเที่ยง'],
  ['pm', '下午 午後 오후 中午 傍晚 晚上 م مساء مساءً ös μ.μ μμ odp popol em ip ch ptg пп du หลังเที่ยง'],
];
const halfOf = new Map(halves.flatMap(([half, words]) => words.split(' ').map((it) => [it, half] as const)));
/** Words that no space separates from what follows. */
const joined = /上午|午前|오전|凌晨|清晨|早上|早晨|下午|午後|오후|中午|傍晚|晚上/g;

export const englishMonths = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

/** The first code points of the digits 0 to 9 of scripts that phones write. */
const zeros = '٠۰०০๐０';

const clock = /(?<![\d.:/+-])(\d{1,2})([:.])(\d{2})(?:\2(\d{2}(?:[.,]\d{1,9})?))?(?![\d:/]|[.-]\d)/g;
const zoned = /^\s*(z|(?:utc|gmt)?\s?[+-]\d{1,2}(?::?\d{2})?|[a-z]{3,4}|[a-z]\w+\/[\w+/-]+)\s*(?=$|\d{4}$)/;
const numeric = /(\d{1,4})\s?([-/.])\s?(\d{1,2})\s?\2\s?(\d{1,4})(?!\d)\.?/;

/**
 * Returns a date and time of a phone as numbers, e.g. `20 nov 2026 09:00:00`, or in the order of the text if it names no month.
 * Undefined if the text has none, or if languages disagree on its month. `zoneNames` are abbreviations in lower case.
 */
export function rewriteTime(source: string, zoneNames: readonly string[]): string | undefined {
  if (source.length < 8 || !/\p{Nd}/u.test(source)) return undefined;
  const [joined, ...digits] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(source) ?? [];
  if (joined) return `${digits.slice(0, 3).join('-')} ${digits.slice(3).join(':')}`;
  const text = toPlain(source);
  const [time, ...others] = preferColon([...text.matchAll(clock)]);
  if (!time || others.length > 0) return undefined;
  const [found, hours = '', , minutes = '', seconds = '00'] = time;
  const [before, after] = [text.slice(0, time.index), text.slice(time.index + found.length)];
  const [, ending = ''] = zoned.exec(after.replace(/^ ?[ap]m\b/, '')) ?? [];
  const zone = /^[a-z]{3,4}$/.test(ending) && !zoneNames.includes(ending) ? '' : ending;
  const rest = `${before} ${after.replace(zone, ' ')}`;
  const [date = '', first = '', separator = '', second = '', third = ''] = numeric.exec(rest) ?? [];
  const words = readWords(date === '' ? rest : rest.replace(date, ' '));
  if (!words) return undefined;
  const day = date === '' ? toDay(rest.match(/\d+/g) ?? [], words.month) : [first, second, third].join(separator);
  const hour = toHour(Number(hours), words.half);
  if (day === undefined || hour === undefined) return undefined;
  return `${day} ${String(hour).padStart(2, '0')}:${minutes}:${seconds} ${zone.replace(/\s/g, '').toUpperCase()}`.trim();
}

/** Returns the hour of the day. Some apps write hours above 12 beside a half of the day, and Japanese ones count from 0. */
function toHour(hour: number, half: Words['half']): number | undefined {
  if (half === undefined || hour > 12) return half === 'am' ? undefined : hour;
  return (hour % 12) + (half === 'pm' ? 12 : 0);
}

/** A time with colons counts before one with points, which may also be a date such as `20.11`. */
function preferColon(found: RegExpExecArray[]): RegExpExecArray[] {
  const withColon = found.filter(([, , separator]) => separator === ':');
  return withColon.length > 0 ? withColon : found;
}

/** Returns a text in lower case with ASCII digits, without marks of direction and without units of East Asian dates. */
function toPlain(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\p{Nd}/gu, toDigit)
    .replace(/[\s\u00a0]+/g, ' ')
    .replace(/令和(\d+|元)年/, (_, year: string) => `${2018 + (Number(year) || 1)}年`)
    .replace(/(\d+) ?[年년] ?(\d+) ?[月월] ?(\d+) ?[日일]/, ' $1-$2-$3 ')
    .replace(/(\d+) ?[時时點点시] ?(?:(\d+) ?[分분]? ?(?:(\d+) ?[秒초])?)?/, toClock)
    .replace(/(\d{1,2}) ?h ?(\d\d)/i, '$1:$2')
    .replace(joined, (it) => ` ${halfOf.get(it) ?? it} `)
    .replace(/\b([ap])\. ?m\b\.?/gi, '$1m')
    .toLowerCase()
    .trim();
}

/** Returns the ASCII digit of a digit of another script. */
export function toDigit(letter: string): string {
  const code = letter.codePointAt(0) ?? 0;
  const zero = [...zeros].map((it) => it.codePointAt(0) ?? 0).find((it) => code >= it && code < it + 10);
  return zero === undefined ? letter : String(code - zero);
}

function toClock(_: string, hours: string, minutes = '0', seconds = '0'): string {
  return `${hours}:${minutes.padStart(2, '0')}:${seconds.padStart(2, '0')}`;
}

/** Returns a date with a named month. */
function toDay(numbers: readonly string[], month: number | undefined): string | undefined {
  const [one = '', two = '', three = ''] = numbers;
  // Vietnamese names months by their numbers.
  if (month === undefined) return numbers.length === 3 && three.length === 4 ? numbers.join('.') : undefined;
  const [day, year] = one.length === 4 ? [two, one] : [one, two];
  const isDay = numbers.length === 2 && day.length <= 2 && year.length === 4;
  return isDay ? `${day} ${englishMonths[month - 1]} ${year}` : undefined;
}

interface Words {
  readonly month: number | undefined;
  readonly half: 'am' | 'pm' | undefined;
}

/** What a word means in a language: a month from 1 to 12, or 0, and whether it is also another word of a date, as Spanish `mar`. */
interface Meaning {
  month: number;
  isOther: boolean;
}

type Meanings = ReadonlyMap<string, Meaning>;
const letters = /\p{L}[\p{L}\p{M}'’.·]*/gu;
const toWord = (text: string) => text.replace(/[.·]+$/, '');

/** Returns what the words mean in the languages that have all of them. Undefined if none has them, or if they disagree. */
function readWords(text: string): Words | undefined {
  let half: Words['half'];
  let known = languages;
  const meanings: Meanings[] = [];
  for (const [word] of text.matchAll(letters)) {
    const plain = toWord(word);
    const found = plain === 'am' || plain === 'pm' ? plain : halfOf.get(plain);
    const meaning = found ? undefined : listWords().get(plain);
    if (found) half = found;
    else if (!meaning) return undefined;
    else {
      meanings.push(meaning);
      known = known.filter((it) => meaning.has(it));
    }
  }
  const findMonths = () => new Set(known.map((it) => findMonth(meanings.flatMap((meaning) => meaning.get(it) ?? []))));
  let months = findMonths();
  // A Polish and a Croatian month have one name. One of these languages writes a point after the day.
  const hasPoint = /^\D*\d{1,2}\./.test(text);
  if (months.size > 1) known = known.filter((it) => (listWords().get('.')?.has(it) ?? false) === hasPoint);
  if (months.size > 1) months = findMonths();
  return months.size === 1 ? { month: [...months][0], half } : undefined;
}

/** Returns the month that the words of a language name. A word that is no other word of a date counts before one that is. */
function findMonth(meanings: readonly Meaning[]): number | undefined {
  const named = meanings.filter(({ month }) => month > 0);
  return (named.find(({ isOther }) => !isOther) ?? named[0])?.month;
}

/** Words between a date and its time that not every release of CLDR has, by language. */
const between: Readonly<Record<string, string>> = { pl: 'o godz', en: 'at', fr: 'à', cs: 've', de: 'uhr um', ko: '에' };
let words: ReadonlyMap<string, Meanings> | undefined;

/** Returns the meanings of a word by language. The word `.` stands for a point after the day. */
function listWords(): ReadonlyMap<string, Meanings> {
  if (words) return words;
  const all = new Map<string, Map<string, Meaning>>();
  const add = (text: string, language: string, month: number) => {
    for (const word of text === '.' ? [text] : (text.toLowerCase().match(letters) ?? []).map(toWord)) {
      const known = all.get(word) ?? new Map<string, Meaning>();
      const { month: other, isOther } = known.get(language) ?? { month: 0, isOther: false };
      known.set(language, { month: Math.max(month, other), isOther: isOther || month === 0 });
      all.set(word, known);
    }
  };
  for (const [language, text] of Object.entries(between)) add(text, language, 0);
  for (const language of languages)
    for (const format of createFormats(language))
      for (let month = 1; month <= 12; month += 1) {
        let prefix = '';
        for (const { type, value } of format.formatToParts(Date.UTC(2026, month - 1, 20 + (month % 7), 9))) {
          if (type === 'month' && !/\d/.test(value)) add(`${prefix}${value}`, language, month);
          else if (['literal', 'weekday', 'era', 'month'].includes(type)) add(value, language, 0);
          if (type === 'literal' && prefix === '1' && value.startsWith('.')) add('.', language, 0);
          // Hebrew joins a word and the month.
          [prefix = ''] = type === 'day' ? ['1'] : type === 'literal' ? (/\p{L}+$/u.exec(value) ?? []) : [];
        }
      }
  return (words = all);
}

function createFormats(language: string): Intl.DateTimeFormat[] {
  const local = `${language}-u-ca-${language === 'th' ? 'buddhist' : 'gregory'}-nu-latn`;
  const shared = { timeZone: 'UTC' } as const;
  const [day, year] = ['numeric', 'numeric'] as const;
  return [
    ...(['full', 'long', 'medium'] as const).map((dateStyle) => ({ dateStyle, timeStyle: 'short' }) as const),
    ...(['long', 'short'] as const).map((month) => ({ month, day, year, weekday: 'short' }) as const),
    ...(['long', 'short'] as const).map((month) => ({ month }) as const),
  ].map((options) => new Intl.DateTimeFormat(local, { ...shared, ...options }));
}
