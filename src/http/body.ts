import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import { visit } from 'jsonc-parser';
import getRawBody from 'raw-body';
import { body as bodyLimits } from '../../generated/spec.js';
import type { Fault, Schema } from '../contract/contract.js';
import { createHint, ProblemError } from '../contract/problem.js';
import type { Admit } from '../readings/intake.js';
import { type Exchange, requireCaller, type Route, type Step } from './exchange.js';

export interface Format {
  /** Parsers by media type. */
  readonly parsers: Readonly<Record<string, (bytes: Buffer) => unknown>>;
  readonly bytesMax: number;
  /** Returns the media type of a body that is sent without one, or undefined. Absent if each body requires one. */
  readonly findType?: (bytes: Buffer) => string | undefined;
  /** Content encodings of the body. Absent if it must have none. */
  readonly encodings?: RegExp;
  /** Bounds the memory of bodies in transit. Absent for small bodies, which the number of requests bounds. */
  readonly watch?: WatchUpload;
}

/** Counts the bytes of a body while it is received. Returns a function that ends the count. */
export type WatchUpload = (body: Readable, accountId: string) => () => void;

export const jsonFormat: Format = { parsers: { 'application/json': parse }, bytesMax: bodyLimits.max_bytes };

/** Reads the body. A call of MCP has its body already, to which the size limit applies. */
export function readBody(route: Route, format: Format): Step {
  return async (exchange, response) => {
    if (response) exchange.body = await receive(route, exchange, response, format);
    else if (Buffer.byteLength(JSON.stringify(exchange.body)) > format.bytesMax)
      throw new ProblemError('body_too_large');
  };
}

async function receive(route: Route, exchange: Exchange, response: Response, format: Format): Promise<unknown> {
  const { body, mediaTypes } = route;
  const { headers } = exchange;
  const { bytesMax, watch, parsers, findType } = format;
  const sent = requireHead(mediaTypes, format, headers, response);
  const end = watch?.(response.req, requireCaller(exchange).accountId);
  const bytes = await readBytes(response.req, response, bytesMax).finally(end);
  const parser = parsers[sent ?? findType?.(bytes) ?? ''];
  if (!parser) throw unsupported(mediaTypes, headers);
  // Replaces the header with a fixed value, because the validator keeps one compiled schema per distinct value.
  headers['content-type'] = body?.mediaType;
  return parser(bytes);
}

/**
 * Rejects a body that is empty, declared too large, or of another media type or encoding, before it is read. Returns its
 * media type, undefined for an untyped body.
 */
export function requireHead(
  mediaTypes: readonly string[],
  format: Omit<Format, 'parsers'>,
  headers: IncomingHttpHeaders,
  response: Response,
): string | undefined {
  const length = Number(headers['content-length'] ?? 0);
  if (headers['transfer-encoding'] === undefined && length === 0) throw createEmptyBodyError();
  if (length > format.bytesMax) throw tooLarge(response);
  const sent = requireMediaType(mediaTypes, headers, format);
  if (headers.expect !== undefined) response.writeContinue();
  return sent;
}

/** Rejects a body of another media type or encoding. Returns its media type, undefined for an untyped body. */
export function requireMediaType(
  mediaTypes: readonly string[],
  headers: IncomingHttpHeaders,
  { findType, encodings = /^identity$/ }: Pick<Format, 'findType' | 'encodings'> = {},
): string | undefined {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = headers;
  const sent = mediaTypes.find((it) => isOfType(it, type));
  // `fetch` sends this type for a text if the caller states none.
  const isUntyped = findType !== undefined && isOfType('text/plain', type || 'text/plain');
  if (!(sent || isUntyped) || !encodings.test(encoding.trim().toLowerCase())) throw unsupported(mediaTypes, headers);
  return sent;
}

function unsupported(mediaTypes: readonly string[], headers: IncomingHttpHeaders): ProblemError {
  const explanation = { received: receivedType(headers), expected: mediaTypes.join(' or ') };
  return new ProblemError('unsupported_media_type', { explanation });
}

/** Replaces the body by the prepared reading. `readFaults` returns the validation errors of the query. */
export function takeReading(admit: Admit, readFaults: (exchange: Exchange) => readonly Fault[]): Step {
  return async (exchange) => {
    const { call, body } = exchange;
    const { reading, allowances } = await admit({ caller: requireCaller(exchange), call }, body, readFaults(exchange));
    exchange.allowances = allowances;
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
export async function readBytes(request: Request, response: Response, limit: number): Promise<Buffer> {
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
export function tooLarge(response: Response): ProblemError {
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
function isOfType(expected: string, contentType: string): boolean {
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

/** Parses JSON. Returns the error, with its position and a hint, for a text that is not JSON. */
export function parseJson(text: string, hint?: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (!/\S/.test(text)) return createEmptyBodyError();
    return new ProblemError('invalid_payload', { cause, position: findJsonErrorPosition(text), hint });
  }
}

/** Returns the error of a body without a value. */
export function createEmptyBodyError(): ProblemError {
  return new ProblemError('invalid_payload', { hint: createHint('empty_body') });
}

/** Returns the position of the first error. V8 states a position only in some of its messages. */
export function findJsonErrorPosition(text: string): Schema<'JsonPosition'> {
  const offsets: number[] = [];
  visit(text, { onError: (_code, offset) => void offsets.push(offset) }, { disallowComments: true });
  const before = text.slice(0, offsets[0]);
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') };
}
