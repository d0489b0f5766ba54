import { sources } from '../../generated/spec.js';

/** Maximum number of characters of a time, value or name. A longer one is not read, so that none costs more than a sample. */
export const textMaxCharacters = sources.text_characters_max;

/** Maximum number of names that an error lists. */
const namesListed = 20;
/** Maximum number of characters of a text that an error shows. */
const charactersShown = 40;

/** Formats the first column or field names for an error message, without control characters. */
export function describeNames(header: readonly string[]): string {
  if (header.length === 0) return 'none, because the file is empty';
  const names = header.slice(0, namesListed).map((name) => shown(name) || '(unnamed)');
  const more = header.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Returns the start of a text for an error, without control characters. */
export function shown(text: string): string {
  return printable(text).slice(0, charactersShown);
}

/** Replaces control characters, which would change the terminal or break a table. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, ' ').trim();
}

/** Returns the first names of a JSON text, each once. */
export function listNames(json: string): string[] {
  const names = new Set<string>();
  for (const [, name = ''] of json.matchAll(/"([^"\\]{1,40})"\s*:/g)) if (names.add(name).size > namesListed) break;
  return [...names];
}
