/** Maximum number of characters of a text that an error shows. */
const charactersShown = 40;
/** Numbers from here on are Unix milliseconds. As seconds, they would be after the year 5000. */
const epochMsMin = 1e11;

/** Returns a time in seconds. A date-time without a zone is UTC. */
export function readTime(text: string, place: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) >= epochMsMin ? Number(text) / 1000 : Number(text);
  const [, day, clock, zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d:\d\d)?$/i.exec(text) ?? [];
  const atMs = day === undefined ? Number.NaN : Date.parse(`${day}T${clock}${zone.toUpperCase()}`);
  if (Number.isNaN(atMs))
    throw new Error(`${place}: "${shown(text)}" is not a time: use seconds, Unix milliseconds or 2026-11-21T09:30:00Z`);
  return atMs / 1000;
}

/** Returns the number in a cell. Undefined for an empty cell, and for NaN and NA, which statistics tools write. */
export function readNumber(text: string | undefined, place: string): number | undefined {
  if (text === undefined || /^(nan|na)?$/i.test(text)) return undefined;
  const number = Number(text);
  if (!Number.isFinite(number)) throw new Error(`${place}: "${shown(text)}" is not a number`);
  return number;
}

/** Returns the start of a text for an error, without control characters. */
export function shown(text: string): string {
  return printable(text).slice(0, charactersShown);
}

/** Replaces control characters, which would change the terminal or break a table. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, ' ').trim();
}
