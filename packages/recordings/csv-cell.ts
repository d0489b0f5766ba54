export type Cell = string | number | boolean | readonly (string | number)[] | undefined;

/** Returns the text of a cell. Lists are separated by spaces, because their values contain none. */
export function toCell(value: Cell): string {
  if (value === undefined) return '';
  if (typeof value === 'object') return value.join(' ');
  return typeof value === 'string' ? textCell(value) : String(value);
}

/**
 * Quotes a text where RFC 4180 requires it, and also a text with a semicolon, at which spreadsheets of many languages split
 * cells. Adds an apostrophe to a text that starts like a formula, because spreadsheets would run it (OWASP, CSV
 * injection). Stored texts contain no line breaks.
 */
function textCell(text: string): string {
  const safe = /^[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",;]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
