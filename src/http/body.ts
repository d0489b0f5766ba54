import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import getRawBody from 'raw-body';
import { body as bodyLimits } from '../../generated/spec.js';
import type { Fault, Schema } from '../contract/contract.js';
import { ProblemError } from '../contract/problem.js';
import type { Admit } from '../readings/intake.js';
import { type Exchange, requireCaller, type Step } from './exchange.js';
import type { Route } from './route.js';

/** How to read a body. */
export interface Format {
  /** Parsers by media type. */
  readonly parsers: Readonly<Record<string, (bytes: Buffer) => unknown>>;
  readonly bytesMax: number;
  /** Bounds the memory of bodies in transit. Absent for small bodies, which the number of requests bounds. */
  readonly watch?: WatchUpload;
}

/** Counts the bytes of a body while it is received. Returns a function that ends the count. */
export type WatchUpload = (body: Readable, accountId: string) => () => void;

/** A body of one JSON value. */
export const jsonFormat: Format = { parsers: { 'application/json': parse }, bytesMax: bodyLimits.max_bytes };

/** Reads the body. A call of MCP has its body already, to which the size limit applies. */
export function readBody(route: Route, format: Format): Step {
  return async (exchange, response) => {
    if (response) exchange.body = await receive(route, exchange, response, format);
    else if (Buffer.byteLength(JSON.stringify(exchange.body)) > format.bytesMax)
      throw new ProblemError('body_too_large');
  };
}

/** Rejects a body that is too large or has an unsupported media type before it reads the body. */
async function receive(route: Route, exchange: Exchange, response: Response, format: Format): Promise<unknown> {
  const { body, mediaTypes } = route;
  const { headers } = exchange;
  const { bytesMax, watch } = format;
  const sent = mediaTypes.find((it) => isOfType(it, headers['content-type']));
  const parser = format.parsers[sent ?? body?.mediaType ?? ''];
  if (!parser) throw new Error(`no body format is defined for ${route.operationId}`);
  const length = Number(headers['content-length'] ?? 0);
  if (headers['transfer-encoding'] === undefined && length === 0) throw new ProblemError('invalid_payload');
  if (length > bytesMax) throw tooLarge(response);
  if (!sent || isCompressed(headers['content-encoding'])) {
    const expected = mediaTypes.join(' or ');
    throw new ProblemError('unsupported_media_type', { hint: { received: receivedType(headers), expected } });
  }
  // Replaces the header with a fixed value, because the validator keeps one compiled schema per distinct value.
  headers['content-type'] = body?.mediaType;
  if (headers.expect !== undefined) response.writeContinue();
  const end = watch?.(response.req, requireCaller(exchange).accountId);
  return parser(await readBytes(response.req, response, bytesMax).finally(end));
}

/** Replaces the body by the prepared reading. `readFaults` returns the validation errors of the query. */
export function takeReading(admit: Admit, readFaults: (exchange: Exchange) => readonly Fault[]): Step {
  return async (exchange) => {
    const { token, call, allowances, body } = exchange;
    const sender = { caller: requireCaller(exchange), tokenSession: token?.sessionId, call, allowances };
    const reading = await admit(sender, body, readFaults(exchange));
    if (reading instanceof ProblemError) throw reading;
    exchange.body = reading;
  };
}

/** The byte order mark of UTF-8, which JSON parsers may ignore (RFC 8259). */
const byteOrderMark = Buffer.from('\ufeff');

/**
 * Resolves with the body without a byte order mark. Rejects with invalid_payload when the body is shorter than declared
 * or the connection breaks.
 */
async function readBytes(request: Request, response: Response, limit: number): Promise<Buffer> {
  try {
    const bytes = await getRawBody(request, { limit });
    const isMarked = bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark);
    return isMarked ? bytes.subarray(byteOrderMark.length) : bytes;
  } catch (cause) {
    if ((cause as { type?: string }).type === 'entity.too.large') throw tooLarge(response);
    throw new ProblemError('invalid_payload', { cause });
  }
}

/**
 * Returns the error for a body above the limit. The connection closes after the response, because the rest of the body
 * may be long.
 */
function tooLarge(response: Response): ProblemError {
  response.set('Connection', 'close');
  return new ProblemError('body_too_large');
}

/** Parses JSON. Rejects a body that is not UTF-8, the encoding of JSON (RFC 8259). */
function parse(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new ProblemError('invalid_payload', { cause: new Error('the body is not UTF-8') });
  const value = parseJson(bytes.toString());
  if (value instanceof ProblemError) throw value;
  return value;
}

/** Returns true for the expected media type without a charset or with the charset UTF-8. */
function isOfType(expected: string, contentType = ''): boolean {
  const [mediaType = '', ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charsets = parameters.filter((parameter) => parameter.startsWith('charset='));
  return mediaType === expected && charsets.every((it) => ['charset=utf-8', 'charset="utf-8"'].includes(it));
}

const shownMax = 100;

function receivedType({ 'content-type': type, 'content-encoding': encoding }: IncomingHttpHeaders): string {
  const parts = [type ? type.slice(0, shownMax) : 'no Content-Type', encoding && `in ${encoding.slice(0, shownMax)}`];
  return parts.filter(Boolean).join(' ');
}

function isCompressed(encoding = 'identity'): boolean {
  return encoding.trim().toLowerCase() !== 'identity';
}

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
    const position = /\S/.test(text) ? { position: findJsonErrorPosition(text) } : {};
    return new ProblemError('invalid_payload', { cause, ...position });
  }
}

/**
 * Returns the position of the first token that JSON does not allow, for a text that `JSON.parse` rejected. V8 states a
 * position only in some of its messages.
 */
export function findJsonErrorPosition(text: string): Schema<'JsonPosition'> {
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
