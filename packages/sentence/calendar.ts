/** Days, weeks and months of the reader's time zone. A week is seven days that end with any day. */
export const spans = ['day', 'week', 'month'] as const;
export type Span = (typeof spans)[number];

export interface Day {
  /** Midnight, epoch ms. `toMs` is the next midnight: a day has 23 to 25 hours. */
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Period extends Day {
  readonly span: Span;
  readonly days: readonly Day[];
}

/** Returns the period of an address, e.g. `week/2026-11-23`. Default: the last seven days. */
export function readPeriod(address: string, nowMs: number): Period {
  const [, name, year, month, day] = /^(\w+)\/(\d{4})-(\d\d)-(\d\d)$/.exec(address) ?? [];
  const span = spans.find((it) => it === name);
  return span
    ? periodAt(span, new Date(Number(year), Number(month) - 1, Number(day)))
    : periodAt('week', new Date(nowMs));
}

/** Returns the day, the seven days up to the day, or the calendar month of the day. */
export function periodAt(span: Span, date: Date): Period {
  const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()];
  const first = { day, week: day - 6, month: 1 }[span];
  const count = { day: 1, week: 7, month: new Date(year, month + 1, 0).getDate() }[span];
  const midnight = (index: number) => new Date(year, month, first + index).getTime();
  const days = Array.from({ length: count }, (_, index) => ({ fromMs: midnight(index), toMs: midnight(index + 1) }));
  return { span, days, fromMs: midnight(0), toMs: midnight(count) };
}

export function previous({ span, fromMs }: Period): Period {
  return periodAt(span, new Date(fromMs - 1));
}

/** Returns the next period. It ends today at the latest. */
export function next({ span, toMs }: Period, nowMs: number): Period {
  const last = new Date(toMs);
  if (span === 'week') last.setDate(last.getDate() + 6);
  return periodAt(span, new Date(Math.min(last.getTime(), nowMs)));
}

/** Returns the period of another span that contains the last day of this one, or today if that is earlier. */
export function withSpan(period: Period, span: Span, nowMs: number): Period {
  return periodAt(span, new Date(Math.min(lastDayMs(period), nowMs)));
}

function lastDayMs({ days, fromMs }: Period): number {
  return days.at(-1)?.fromMs ?? fromMs;
}

export function addressOf(period: Period): string {
  const date = new Date(lastDayMs(period));
  const twoDigits = (value: number) => String(value).padStart(2, '0');
  const year = String(date.getFullYear()).padStart(4, '0');
  return `${period.span}/${year}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-GB', options);
const titles = {
  day: format({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }),
  week: format({ day: 'numeric', month: 'long', year: 'numeric' }),
  month: format({ month: 'long', year: 'numeric' }),
};
/** E.g. `Mon, 16 Nov`. */
export const days = format({ weekday: 'short', day: 'numeric', month: 'short' });
/** E.g. `Mon 16`. */
export const shortDays = format({ weekday: 'short', day: 'numeric' });
/** E.g. `16 Nov 2026, 14:05`. */
export const instants = format({ day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' });
/** E.g. `16 November`. */
export const dates = format({ day: 'numeric', month: 'long' });

/** Returns e.g. `16 – 22 November 2026`. */
export function titleOf(period: Period): string {
  return titles[period.span].formatRange(period.fromMs, lastDayMs(period));
}

export function timeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Returns the time on the reader's clock, minutes after midnight. */
export function minuteOfDay(atMs: number): number {
  const date = new Date(atMs);
  return date.getHours() * 60 + date.getMinutes();
}
