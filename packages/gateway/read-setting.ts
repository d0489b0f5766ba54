/** Functions that read the environment variables of the gateway. Each throws an error that follows the name of the variable. */
import { kinds } from './upstreams.js';

export function integerBetween(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < min || number > max)
      throw new Error(`must be a whole number from ${min} to ${max}, not "${text}"`);
    return number;
  };
}

export function readChoice(allowed: readonly string[]): (text: string) => string {
  return (text) => {
    if (!allowed.includes(text)) throw new Error(`must be one of ${allowed.join(', ')}, not "${text}"`);
    return text;
  };
}

export function readHeaderNames(text: string): readonly string[] {
  const names = splitList(text.toLowerCase());
  const invalid = names.find((name) => !/^[a-z0-9-]+$/.test(name));
  if (invalid !== undefined) throw new Error(`must be names of headers, separated by commas, not "${text}"`);
  return names;
}

export function readSwitch(text: string): boolean {
  if (text !== '0' && text !== '1') throw new Error(`must be 0 or 1, not "${text}"`);
  return text === '1';
}

export function readOptionalUrl(text: string): URL | undefined {
  return text === '' ? undefined : readUrl(text);
}

/** Errors never contain the text, which may include a password. */
export function readUrl(text: string): URL {
  const url = parseHttpUrl(text);
  if (!url || url.username || url.password || url.search || url.hash)
    throw new Error('must be an http or https URL without a user, a query and a fragment');
  return url;
}

function parseHttpUrl(text: string): URL | undefined {
  try {
    return /^https?:\/\//.test(text) ? new URL(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Each one is NAME=KIND:URL. Errors never contain the text. */
export function readUpstreams(text: string) {
  return splitList(text).map((it, index) => {
    const [, name = '', kind = '', url = ''] = /^([a-z0-9][a-z0-9-]{0,31})=([a-z]+):(.+)$/.exec(it) ?? [];
    const known = kinds.find((one) => one === kind);
    if (!known)
      throw new Error(
        `must be NAME=KIND:URL, comma-separated, with the kind ${kinds.join(', ')}: see number ${index + 1}`,
      );
    return { name, kind: known, url: readUrl(url) };
  });
}

/** Rejects an asterisk, which would allow every web page. */
export function readOrigins(text: string): readonly string[] {
  const origins = splitList(text);
  const odd = origins.find((it) => parseHttpUrl(it)?.origin !== it);
  if (odd !== undefined) throw new Error(`must be comma-separated origins like https://app.example.com, not "${odd}"`);
  return origins;
}

/** Returns no part for an empty text. */
export function splitList(text: string): readonly string[] {
  return text === '' ? [] : text.split(',').map((it) => it.trim());
}
