import { createPause } from './pause.js';

/** Tokens between two looks at the clock. */
const tokensAtOnce = 1_000;
/** An entry of an export has about 100 characters, a workout of Fitbit up to 6,000. */
const entryMaxCharacters = 16_384;
/** The exports are nested six deep. Bounds the memory for open arrays and objects of a hostile file. */
const depthMax = 32;

export interface JsonEntry {
  readonly path: string;
  readonly value: unknown;
}

/** An array or object that is open. */
interface Frame {
  readonly closing: string;
  readonly path: string;
  /** Name of the current value in an object, `*` in an array. */
  key: string;
}

/**
 * Parses only the values at the given paths, one by one, e.g. `deviceDays.*.date`: `*` is any index of an array. Nested
 * JSON takes forty times its size in memory, so the whole text is never parsed at once, and the size of a value is
 * limited. The value of an entry with a mistake of its own is undefined. Errors name the line. `expected` names the files to pass instead.
 */
export async function* readJson(
  text: string,
  paths: readonly string[],
  expected: string,
): AsyncGenerator<JsonEntry, undefined> {
  // Matches a text, or a character that opens, closes or separates values. Of a text that is too long, matches only the
  // opening quotation mark.
  const tokens = new RegExp(String.raw`"(?:[^"\\]|\\[^]){0,${entryMaxCharacters}}"|["[\]{},:]`, 'g');
  const frames: Frame[] = [];
  /** Path and start of the array or object that is parsed as one entry, and its depth. */
  let entry: { readonly path: string; readonly start: number; readonly depth: number } | undefined;
  /** Start of the current value. Undefined after an array or object. */
  let start: number | undefined = 0;
  let isFirst = false;
  let name = '';
  const pause = createPause();
  for (let [token, count] = [tokens.exec(text), 1]; token; token = tokens.exec(text), count += 1) {
    if (count % tokensAtOnce === 0) await pause();
    const [symbol] = token;
    const top = frames.at(-1);
    if ((symbol === '"' ? text.length : tokens.lastIndex) - (entry?.start ?? token.index) > entryMaxCharacters)
      throw tooLong(text, entry?.start ?? token.index, expected);
    if (symbol.length > 1) {
      name = symbol;
    } else if (symbol === ':') {
      if (!top || top.closing === ']') throw notJson(text, token.index);
      const key = entry ? '' : parseEntry(name);
      if (key === undefined) throw notJson(text, token.index);
      if (!entry) top.key = String(key);
      start = tokens.lastIndex;
    } else if (symbol === '[' || symbol === '{') {
      const path = pathIn(top);
      if (!entry && paths.includes(path)) entry = { path, start: token.index, depth: frames.length };
      if (!entry && frames.length === depthMax)
        throw new Error(`line ${lineAt(text, token.index)}: more than ${depthMax} nested values: pass ${expected}`);
      frames.push({ closing: symbol === '[' ? ']' : '}', path, key: symbol === '[' ? '*' : '' });
      start = tokens.lastIndex;
      isFirst = true;
    } else {
      const isEnd = symbol !== ',';
      if (!top || (isEnd && top.closing !== symbol)) throw notJson(text, token.index);
      const scalar = start === undefined ? undefined : text.slice(start, token.index).trim();
      if (scalar === '' && !(isEnd && isFirst)) throw notJson(text, token.index);
      if (!entry && scalar && paths.includes(pathIn(top))) {
        if (scalar.length > entryMaxCharacters) throw tooLong(text, start ?? 0, expected);
        yield { path: pathIn(top), value: parseEntry(scalar) };
      }
      start = isEnd ? undefined : tokens.lastIndex;
      isFirst = false;
      if (!isEnd) continue;
      frames.pop();
      if (entry?.depth === frames.length) {
        yield { path: entry.path, value: parseEntry(text.slice(entry.start, tokens.lastIndex)) };
        entry = undefined;
      }
      if (frames.length > 0) continue;
      if (text.slice(tokens.lastIndex).trim() === '') return;
      break;
    }
  }
  throw notJson(text, start ?? text.length);
}

function pathIn(frame: Frame | undefined): string {
  if (!frame) return '';
  return frame.path === '' ? frame.key : `${frame.path}.${frame.key}`;
}

/** Returns undefined if the entry is no JSON, so that one broken entry does not end an import. */
function parseEntry(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

function tooLong(text: string, at: number, expected: string): Error {
  return new Error(
    `line ${lineAt(text, at)}: an entry has more than ${entryMaxCharacters} characters: pass ${expected}`,
  );
}

function notJson(text: string, at: number): Error {
  return new Error(`line ${lineAt(text, at)}: not valid JSON: extract the file from the export again`);
}

function lineAt(text: string, at: number): number {
  let line = 1;
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', end + 1)) line += 1;
  return line;
}
