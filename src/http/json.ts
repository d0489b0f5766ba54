import type { Schema } from '../contract/contract.js';
import { ProblemError } from '../contract/problem.js';

const token =
  /[ \t\n\r]*(?:([[\]{},:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y;
const space = /[ \t\n\r]*/y;

/** The kinds of token that may follow. */
type Expected = 'value' | 'first value' | 'first key' | 'key' | 'colon' | 'comma' | 'end';

/** Parses JSON. Returns the error, with its position, for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const position = /\S/.test(text) ? { position: findJsonPosition(text) } : {};
    return new ProblemError('invalid_payload', { cause, ...position });
  }
}

/**
 * Returns the position of the first token that JSON does not allow, for a text that `JSON.parse` rejected. V8 states a
 * position only in some of its messages.
 */
export function findJsonPosition(text: string): Schema<'JsonPosition'> {
  const opened: string[] = [];
  let expected: Expected = 'value';
  for (let from = 0; ;) {
    token.lastIndex = from;
    const [read, sign = '', string] = token.exec(text) ?? [];
    const next: Expected | undefined =
      read === undefined ? undefined : step(expected, sign || (string ? 'string' : 'other'), opened);
    if (read === undefined || next === undefined) return locate(text, from);
    expected = next;
    from += read.length;
  }
}

/** Returns what may follow a token. Undefined if the token may not stand here. Updates the open brackets. */
function step(expected: Expected, kind: string, opened: string[]): Expected | undefined {
  if (expected === 'colon') return kind === ':' ? 'value' : undefined;
  if (expected === 'end') return undefined;
  const inside = opened.at(-1);
  const closesEmpty = (expected === 'first value' && kind === ']') || (expected === 'first key' && kind === '}');
  const closes = expected === 'comma' && kind === (inside === '{' ? '}' : ']');
  if (closesEmpty || closes) {
    opened.pop();
    return opened.length > 0 ? 'comma' : 'end';
  }
  if (expected === 'comma') return kind !== ',' ? undefined : inside === '{' ? 'key' : 'value';
  if (expected === 'key' || expected === 'first key') return kind === 'string' ? 'colon' : undefined;
  if (kind === '{' || kind === '[') {
    opened.push(kind);
    return kind === '{' ? 'first key' : 'first value';
  }
  if (kind.length === 1) return undefined;
  return opened.length > 0 ? 'comma' : 'end';
}

/** Returns line and column of the first character from `from` that is not white space. */
function locate(text: string, from: number): Schema<'JsonPosition'> {
  space.lastIndex = from;
  const before = text.slice(0, from + (space.exec(text)?.[0].length ?? 0));
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') };
}
