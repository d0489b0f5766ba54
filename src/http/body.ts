import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Request, RequestHandler, Response } from 'express';
import getRawBody from 'raw-body';
import { batch as batchLimits, body as bodyLimits } from '../../generated/spec.js';
import { ProblemError } from '../contract/problem.js';
import { parseJson } from './json.js';
import { decodeLines, toLines } from './lines.js';
import type { Route } from './route.js';

/** Size limit and parser of bodies of one media type. */
interface Format {
  readonly bytesMax: number;
  readonly parse: (bytes: Buffer) => unknown;
}

type Formats = Readonly<Record<string, Format>>;

const objects: Formats = { 'application/json': { bytesMax: bodyLimits.max_bytes, parse } };
const batches: Formats = {
  'application/json': { bytesMax: batchLimits.max_bytes, parse: (bytes) => decodeLines(toLines(bytes)) },
  'application/x-ndjson': { bytesMax: batchLimits.max_bytes, parse: decodeLines },
};

/** Reads the body of operations that have a body. Other bodies stay unread. */
export function readBody(): RequestHandler {
  const watch = createUploads(batchLimits.receiving_bytes_max);
  return async (request, response, next) => {
    const { route } = response.locals;
    if (route?.body) request.body = await readAs(route, request, response, watch);
    next();
  };
}

/** Rejects a body that is too large or has an unsupported media type before it reads the body. */
async function readAs(route: Route, request: Request, response: Response, watch: WatchUpload): Promise<unknown> {
  const { body, mediaTypes, record } = route;
  const { headers } = request;
  const sent = mediaTypes.find((it) => isOfType(it, headers['content-type']));
  const format = (record.takes === 'lines' ? batches : objects)[sent ?? body?.mediaType ?? ''];
  if (!format) throw new Error(`no format of ${route.operationId}`);
  const length = Number(headers['content-length'] ?? 0);
  if (headers['transfer-encoding'] === undefined && length === 0) throw new ProblemError('invalid_payload');
  if (length > format.bytesMax) throw tooLarge(response);
  if (!sent || isCompressed(headers['content-encoding'])) {
    const expected = mediaTypes.join(' or ');
    throw new ProblemError('unsupported_media_type', { hint: { received: receivedType(headers), expected } });
  }
  // Replaces the header with a fixed value, because the validator keeps one compiled schema per distinct value.
  headers['content-type'] = body?.mediaType;
  if (headers.expect !== undefined) response.writeContinue();
  const { caller } = response.locals;
  // Small bodies are bounded by the number of requests.
  const isSmall = format.bytesMax <= bodyLimits.max_bytes;
  const end = caller && !isSmall ? watch(request, caller.accountId) : undefined;
  return format.parse(await receive(request, response, format.bytesMax).finally(end));
}

/** The byte order mark of UTF-8, which JSON parsers may ignore (RFC 8259). */
const byteOrderMark = Buffer.from('\ufeff');

/**
 * Resolves with the body without a byte order mark. Rejects with invalid_payload when the body is shorter than declared or
 * the connection breaks.
 */
async function receive(request: Request, response: Response, limit: number): Promise<Buffer> {
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

/** A body that is being received. */
interface Upload {
  readonly body: Readable;
  readonly accountId: string;
  bytes: number;
}

/** Counts the bytes of a body while it is received. Returns a function that ends the count. */
type WatchUpload = (body: Readable, accountId: string) => () => void;

/**
 * Bounds the memory of the bodies that the process is receiving. Above the bound, it closes the oldest connection of the
 * account that has sent the most bytes. An account that sends slowly or often therefore loses its own uploads first.
 */
export function createUploads(bytesMax: number): WatchUpload {
  /** In the order of their start. */
  const uploads = new Set<Upload>();
  let total = 0;

  const end = (upload: Upload) => {
    if (uploads.delete(upload)) total -= upload.bytes;
  };
  const closeOldestOfLargest = () => {
    const countBytes = new Map<string, number>();
    for (const { accountId, bytes } of uploads) countBytes.set(accountId, (countBytes.get(accountId) ?? 0) + bytes);
    const largest = [...countBytes].reduce((a, b) => (b[1] > a[1] ? b : a))[0];
    const oldest = [...uploads].find(({ accountId, bytes }) => accountId === largest && bytes > 0) as Upload;
    end(oldest);
    oldest.body.destroy();
  };
  return (body, accountId) => {
    const upload: Upload = { body, accountId, bytes: 0 };
    uploads.add(upload);
    const count = ({ length }: Buffer) => {
      if (!uploads.has(upload)) return;
      upload.bytes += length;
      total += length;
      while (total > bytesMax) closeOldestOfLargest();
    };
    body.on('data', count);
    return () => {
      body.off('data', count);
      end(upload);
    };
  };
}
