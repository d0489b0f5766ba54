import { isUtf8 } from 'node:buffer';
import { batch as limits, body as bodyLimits } from '../../generated/spec.js';
import { createFault, createHint, createValidationError, ProblemError } from '../contract/problem.js';
import { createEmptyBodyError, parseJson } from './body.js';

/** A line of a body with its number, from 1. */
export interface Line {
  readonly line: number;
  readonly text: string;
}

const lineFeed = 0x0a;
/** Not JSON. */
const undecodable = '\ufffd';

/**
 * Decodes an NDJSON body. A line that is not UTF-8 is replaced by a text that is not JSON, so that only this line is
 * rejected.
 */
export function decodeLines(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  const lines: string[] = [];
  for (let from = 0; from <= bytes.length;) {
    const found = bytes.indexOf(lineFeed, from);
    const end = found < 0 ? bytes.length : found;
    const line = bytes.subarray(from, end);
    lines.push(isUtf8(line) ? line.toString() : undecodable);
    from = end + 1;
  }
  return lines.join('\n');
}

const carriageReturn = 0x0d;
const comma = 0x2c;
const quote = 0x22;
const backslash = 0x5c;

/**
 * Converts a JSON array to lines, one per item, without white space around the item. Only finds the ends of the items: an
 * item that is not JSON becomes a line that is not JSON. Changes `bytes`. Reads each byte once, because the array may be
 * large or nested deeply. Throws a ProblemError if the body is no array, has no end, has no item or too many items.
 */
export function toLines(bytes: Buffer): Buffer {
  const [start, end] = trim(bytes, 0, bytes.length);
  if (start === end) throw createEmptyBodyError();
  if (bytes[start] !== 0x5b) throw notAnArray(bytes);
  const lines: Uint8Array[] = [];
  const add = (from: number, to: number) => {
    const item = bytes.subarray(...trim(bytes, from, to));
    lines.push(item.length > 0 ? item : Buffer.from(undecodable), Buffer.of(lineFeed));
    if (lines.length > 2 * limits.lines_max) throw tooManyLines();
  };
  let depth = 0;
  let isText = false;
  let from = start + 1;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] as number;
    // JSON allows both in the same places, and a line must not contain a line feed.
    if (byte === lineFeed) bytes[at] = carriageReturn;
    else if (byte === quote) isText = !isText;
    else if (isText) at += byte === backslash && bytes[at + 1] !== lineFeed ? 1 : 0;
    // 0x20 is the difference between square and curly brackets.
    else if ((byte | 0x20) === 0x7b) depth += 1;
    else if ((byte | 0x20) === 0x7d) depth -= 1;
    else if (byte === comma && depth === 1) {
      add(from, at);
      from = at + 1;
    }
    if (depth === 0 && at < end - 1) throw new ProblemError('invalid_payload');
  }
  const [first, last] = trim(bytes, from, end - 1);
  const isEmpty = lines.length === 0 && first === last;
  if (depth !== 0 || bytes[end - 1] !== 0x5d || isEmpty) throw new ProblemError('invalid_payload');
  add(first, last);
  return Buffer.concat(lines);
}

/** Returns start and end of the part without white space around it. */
function trim(bytes: Buffer, from: number, to: number): [start: number, end: number] {
  let [start, end] = [from, to];
  while (start < end && isSpace(bytes[start])) start += 1;
  while (end > start && isSpace(bytes[end - 1])) end -= 1;
  return [start, end];
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === lineFeed || byte === carriageReturn;
}

/** Returns the error of a body that does not begin with a bracket. Parses only short bodies. */
function notAnArray(bytes: Buffer): ProblemError {
  const text = bytes.toString();
  const hint = /^\s*\{/.test(text) ? createHint('send_lines') : undefined;
  const value = bytes.length > bodyLimits.max_bytes ? undefined : parseJson(text, hint);
  if (value instanceof ProblemError) return value;
  const code = holdsJson(text) ? 'encoded_twice' : 'array_type';
  return new ProblemError('validation_failed', { faults: [createFault(code, { pointer: '' })], hint });
}

/**
 * Returns the value of a line. Returns the error of a line that is too long, is not JSON or was encoded as JSON twice.
 */
export function parseLine(text: string): unknown {
  if (Buffer.byteLength(text) > bodyLimits.max_bytes)
    return new ProblemError('body_too_large', holdsJson(text) ? { explanation: {} } : {});
  // Each line is a JSON text, which may begin with a byte order mark.
  const value = parseJson(text.replace(/^\ufeff/, ''));
  if (typeof value !== 'string' || !holdsJson(text)) return value;
  return createValidationError('encoded_twice', { pointer: '' });
}

/** Returns true for a JSON string that begins like an object or array, as encoders make it from an encoded body. */
function holdsJson(text: string): boolean {
  return /^\s*"\s*[[{]/.test(text);
}

/**
 * Returns the lines that are not empty. Throws a ProblemError if there are none, or more than a request may have.
 */
export function splitLines(body: string): Line[] {
  const lines: Line[] = [];
  for (let from = 0, line = 1; from < body.length; line += 1) {
    const found = body.indexOf('\n', from);
    const end = found < 0 ? body.length : found;
    const text = body.slice(from, end);
    if (/\S/.test(text)) lines.push({ line, text });
    if (lines.length > limits.lines_max) throw tooManyLines();
    from = end + 1;
  }
  if (lines.length === 0) throw createEmptyBodyError();
  return lines;
}

function tooManyLines(): ProblemError {
  return createValidationError('too_many_items', { pointer: '' }, String(limits.lines_max));
}
