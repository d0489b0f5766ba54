import { setImmediate } from 'node:timers/promises';
import { ProblemError } from '../contract/problem.js';

/** Characters that are parsed without a pause: about a millisecond. */
const partMax = 65_536;
const scanMax = 262_144;

/** An array or object of more than a part: its end, and the commas between its values. */
interface Large {
  readonly end: number;
  readonly commas: readonly number[];
}

/** A text that is nested too deep. */
export class DepthError extends Error {}

/**
 * Parses JSON like `JSON.parse`, a part at a time, so that other work runs in between. Rejects with a ProblemError for another
 * text, and with a DepthError for a text with more than `depthMax` arrays and objects in each other.
 */
export async function parseInParts(text: string, depthMax: number): Promise<unknown> {
  const large = await findLarge(text, depthMax);
  const [start, end] = trim(text, 0, text.length);
  return parseValue(text, start, end, large);
}

/** Returns the large arrays and objects by their start. A text that is no JSON may have any. */
async function findLarge(text: string, depthMax: number): Promise<ReadonlyMap<number, Large>> {
  const large = new Map<number, Large>();
  const open: Array<{ start: number; commas: number[] }> = [];
  const tokens = /"|[[\]{},]/g;
  let pauseAt = scanMax;
  for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
    const at = token.index;
    const [symbol] = token;
    if (symbol === '"') tokens.lastIndex = findTextEnd(text, at);
    else if (symbol === ',') open.at(-1)?.commas.push(at);
    else if (symbol === '[' || symbol === '{') {
      open.push({ start: at, commas: [] });
      if (open.length > depthMax) throw new DepthError();
    } else {
      const closed = open.pop();
      if (closed && at - closed.start > partMax) large.set(closed.start, { end: at, commas: closed.commas });
    }
    if (at < pauseAt) continue;
    pauseAt = at + scanMax;
    await setImmediate();
  }
  return large;
}

/** Returns the index after a text that begins at `start`. */
function findTextEnd(text: string, start: number): number {
  for (let at = start + 1; ;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    let slashes = 0;
    while (text[quote - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

async function parseValue(
  text: string,
  start: number,
  end: number,
  large: ReadonlyMap<number, Large>,
): Promise<unknown> {
  const found = large.get(start);
  if (found?.end !== end - 1) {
    // A long text that is neither one array or object nor one string is no JSON: it need not be parsed to find that out.
    if (end - start > 2 * partMax && text[start] !== '"') throw new ProblemError('invalid_payload');
    return parse(text.slice(start, end));
  }
  const isList = text[start] === '[';
  if (text[found.end] !== (isList ? ']' : '}')) throw new ProblemError('invalid_payload');
  const list: unknown[] = [];
  const object: Record<string, unknown> = {};
  const add = (values: unknown) => {
    if (Array.isArray(values)) for (const value of values) list.push(value);
    else for (const [name, value] of Object.entries(values as object)) set(object, name, value);
  };
  const small = async (from: number, to: number) => {
    if (text.slice(from, to).trim() === '') throw new ProblemError('invalid_payload');
    const part = text.slice(from, to);
    add(parse(isList ? `[${part}]` : `{${part}}`));
    await setImmediate();
  };
  const cuts = [...found.commas, found.end];
  let from = start + 1;
  let pending = from;
  for (const cut of cuts) {
    // A value of its own, if it is large. Otherwise as many values together as fit into a part.
    const valueStart = isList ? skipSpace(text, pending) : findValue(text, pending, cut);
    const [, valueEnd] = trim(text, valueStart, cut);
    if (large.get(valueStart)?.end === valueEnd - 1) {
      if (pending > from) await small(from, pending - 1);
      const value = await parseValue(text, valueStart, valueEnd, large);
      if (isList) list.push(value);
      else set(object, readName(text.slice(pending, valueStart)), value);
      from = cut + 1;
    } else if (cut - from > partMax || cut === found.end) {
      await small(from, cut);
      from = cut + 1;
    }
    pending = cut + 1;
  }
  return isList ? list : object;
}

/** Sets an own property, also `__proto__`, as JSON.parse does. */
function set(object: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Returns the start of the value of a member of an object. */
function findValue(text: string, from: number, to: number): number {
  const nameStart = skipSpace(text, from);
  const nameEnd = text[nameStart] === '"' ? findTextEnd(text, nameStart) : nameStart;
  const colon = text.indexOf(':', nameEnd);
  return colon < 0 || colon >= to ? to : skipSpace(text, colon + 1);
}

/** Returns the name in a text such as `"name": `. */
function readName(text: string): string {
  const member = parse(`{${text}0}`) as object;
  return Object.keys(member)[0] ?? '';
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function trim(text: string, from: number, to: number): readonly [start: number, end: number] {
  const start = Math.min(to, skipSpace(text, from));
  let end = to;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end -= 1;
  return [start, end];
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ProblemError('invalid_payload', { cause });
  }
}
