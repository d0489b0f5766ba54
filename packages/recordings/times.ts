/**
 * Returns the epoch ms of an ISO 8601 date-time, e.g. `2026-11-21T09:30:00Z` or `2026-11-21 09:30:00 +0100`. A time
 * without a zone is a local time with the offset. Returns the epoch ms of a number of seconds or milliseconds as well.
 * NaN if the text is none of these.
 */
export function readTime(text: string, utcOffsetMs: number): number {
  if (/^\d{9,10}(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000);
  if (/^\d{12,13}$/.test(text)) return Number(text);
  const parts = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d:?\d\d)?$/.exec(text);
  if (!parts) return Number.NaN;
  const [, date = '', time = '', zone] = parts;
  const seconds = time.length === 5 ? `${time}:00` : time;
  const isValid = new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date) ?? false;
  if (!isValid) return Number.NaN;
  if (zone === undefined) return Date.parse(`${date}T${seconds}Z`) - utcOffsetMs;
  return Date.parse(`${date}T${seconds}${zone.replace(/(\d\d)(\d\d)$/, '$1:$2')}`);
}
