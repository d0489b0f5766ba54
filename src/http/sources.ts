import { createHmac, timingSafeEqual } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { sources as settings } from '../../generated/spec.js';
import { findHub } from '../../packages/recordings/sources/index.js';
import type { SignatureScheme, StatedSignature } from '../../packages/recordings/sources/signatures.js';
import type { Caller } from '../contract/contract.js';
import { ProblemError } from '../contract/problem.js';
import { countRequest } from '../limits/window-limit.js';
import type { Post } from '../readings/post.js';
import { readInParts, type PostedBody, type ReadPostedBody } from '../readings/posted-body.js';
import { type Exchange, requireCaller, type Step } from './exchange.js';
import { whenWritten } from './messages.js';

/** In place of the body, while the parameters are validated: the contract has no schema of what apps send. */
const anyBody = {};

export interface SourceParts extends Omit<PostedBody, 'bytes' | 'caller' | 'nowMs'> {
  /** Epoch ms. */
  readonly now: () => number;
  /** Reads a large body in another thread. Absent: in this one. */
  readonly readLarge?: ReadPostedBody | undefined;
  /** Decrypts a secret of a place. */
  readonly openSecret: (sealed: string, place: string) => string;
  /** Time limit for sending a body, in ms. */
  readonly uploadMs?: number | undefined;
}

/**
 * Returns the steps of a post with a source key: `validate` checks the parameters, then the body is read, inflated and
 * converted to readings.
 */
export function createSourceSteps(parts: SourceParts): (validate: Step) => Step[] {
  const { uploadMs = settings.upload_seconds * 1000, readLarge = readInParts } = parts;
  const { digestKeys, maxTimestampAgeMs, maxBackfillAgeMs } = parts;
  const slots = createSlots();

  async function take(exchange: Exchange, response: Response | undefined): Promise<void> {
    if (!response) throw new Error('a post requires a response');
    const caller = requireCaller(exchange);
    const { req: request } = response;
    const isZipped = requireReadable(exchange, request, response);
    const requireSigned = readSignature(exchange, caller);
    if (isLarge(request, isZipped)) whenWritten(response, slots(caller.accountId));
    const bytes = await receive(request, response, isZipped, uploadMs);
    requireSigned?.(bytes);
    const { allowances, refusal } = await countRequest(() => exchange.call?.admit());
    exchange.allowances = allowances;
    if (refusal) throw refusal;
    const posted = { bytes, caller, nowMs: parts.now(), digestKeys, maxTimestampAgeMs, maxBackfillAgeMs };
    const read = bytes.length > settings.large_bytes ? readLarge : readInParts;
    exchange.body = (await read(posted)) satisfies Post;
  }

  /** Returns the check of a hub's body. Throws a ProblemError if its headers contain no new signature. */
  function readSignature({ headers }: Exchange, { accountId, keyId, sender }: Caller) {
    const scheme = sender && findHub(sender.source)?.signature;
    if (!scheme) return undefined;
    const stated = scheme.read(headers);
    const isNew = stated && Math.abs(parts.now() / 1000 - stated.atSeconds) <= settings.signature_age_seconds;
    if (!isNew) throw new ProblemError('invalid_signature');
    const secret = parts.openSecret(sender.signingSecret ?? '', `${accountId} ${keyId}`);
    return (bytes: Buffer) => {
      if (!isSigned(scheme, secret, stated, bytes)) throw new ProblemError('invalid_signature');
    };
  }

  const validateParameters =
    (validate: Step): Step =>
    async (exchange) => {
      const { 'content-type': sent } = exchange.headers;
      exchange.body = anyBody;
      exchange.headers['content-type'] = 'application/json';
      await validate(exchange, undefined);
      exchange.headers['content-type'] = sent;
      const { source } = exchange.params;
      if (source !== requireCaller(exchange).sender?.source) throw new ProblemError('invalid_source_key');
    };
  return (validate) => [validateParameters(validate), take];
}

/** Rejects a body with another type or encoding, or that is declared too large. Returns true for a gzip body. */
function requireReadable({ headers }: Exchange, request: Request, response: Response): boolean {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity', 'content-length': length } = headers;
  const [mediaType = '', ...parameters] = type.toLowerCase().split(/\s*;\s*/);
  const charset = parameters.find((it) => it.startsWith('charset='));
  const isJson = ['application/json', 'text/plain', ''].includes(mediaType);
  const isZipped = /^\s*(x-)?gzip\s*$/i.test(encoding);
  const isUtf8Text = charset === undefined || /^charset="?utf-8"?$/.test(charset);
  if (!isJson || !isUtf8Text || !(isZipped || /^\s*identity\s*$/i.test(encoding))) {
    const received = `${type.slice(0, 100) || 'no Content-Type'}${isZipped ? '' : ` in ${encoding.slice(0, 100)}`}`;
    throw new ProblemError('unsupported_media_type', { explanation: { received, expected: 'application/json' } });
  }
  if (headers['transfer-encoding'] === undefined && Number(length ?? 0) === 0)
    throw new ProblemError('invalid_payload');
  if (Number(length ?? 0) > settings.max_bytes) throw tooLarge(response);
  if (headers.expect !== undefined) request.res?.writeContinue();
  return isZipped;
}

function isLarge({ headers }: Request, isZipped: boolean): boolean {
  const { 'content-length': length } = headers;
  return isZipped || length === undefined || Number(length) > settings.large_bytes;
}

/** Returns a function that takes a place of a large body and returns the function that gives it back. */
function createSlots(): (accountId: string) => () => void {
  const open: string[] = [];
  return (accountId) => {
    const own = open.filter((it) => it === accountId).length;
    if (own >= settings.large_per_account_max || open.length >= settings.large_in_progress_max)
      throw new ProblemError('service_unavailable', { cause: 'too many large bodies in progress' });
    open.push(accountId);
    return () => void open.splice(open.indexOf(accountId), 1);
  };
}

/** Resolves with the body. Counts bytes as sent and after inflating. */
async function receive(request: Request, response: Response, isZipped: boolean, uploadMs: number): Promise<Buffer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      response.set('Connection', 'close');
      reject(new ProblemError('service_unavailable', { cause: 'the upload is too slow' }));
    }, uploadMs);
  });
  // The request must not be destroyed, because its connection still carries the response.
  const sent = bounded(request.iterator({ destroyOnReturn: false }), response);
  const received = isZipped ? inflate(sent, response) : collect(sent);
  received.catch(() => undefined);
  try {
    return await Promise.race([received, late]);
  } catch (error) {
    throw error instanceof ProblemError ? error : new ProblemError('invalid_payload', { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

async function* bounded(chunks: AsyncIterable<Buffer>, response: Response): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > settings.max_bytes) throw tooLarge(response);
    yield chunk;
  }
}

async function inflate(chunks: AsyncIterable<Buffer>, response: Response): Promise<Buffer> {
  let inflated: Buffer = Buffer.alloc(0);
  await pipeline(chunks, createGunzip(), async (source: AsyncIterable<Buffer>) => {
    inflated = await collect(bounded(source, response));
  });
  return inflated;
}

async function collect(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

/** The connection closes after the response, because the rest of the body may be long. */
function tooLarge(response: Response): ProblemError {
  response.set('Connection', 'close');
  return new ProblemError('body_too_large');
}

/** Compares in constant time. */
function isSigned(scheme: SignatureScheme, secret: string, stated: StatedSignature, bytes: Buffer): boolean {
  const [, key = ''] = scheme.secret.exec(secret) ?? [];
  const hmac = createHmac('sha256', Buffer.from(key, scheme.keyEncoding)).update(stated.prefix).update(bytes).digest();
  const sent = stated.signatures.map((it) => Buffer.from(it, scheme.signatureEncoding));
  return sent.some((it) => it.length === hmac.length && timingSafeEqual(it, hmac));
}
