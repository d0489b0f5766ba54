import type { Response } from 'express';
import { limits, sources as settings } from '../../generated/spec.js';
import { findHub } from '../../packages/recordings/sources/index.js';
import { findKeptMs, type Grant } from '../contract/grant.js';
import { ProblemError } from '../contract/problem.js';
import { toNetwork } from '../limits/failure-limit.js';
import type { LoadSums } from '../limits/load-sums.js';
import { createTurns } from '../limits/turns.js';
import { countRequest, createConcurrencyError } from '../limits/window-limit.js';
import type { Post } from '../readings/post.js';
import { inflate, type PostedBody, type ReadPostedBody } from '../readings/posted-body.js';
import { readBytes, requireHead, type WatchUpload } from './body.js';
import { type Exchange, requireCaller, type Step } from './exchange.js';
import { allowSlowBody } from './messages.js';
import { beginWork, createPlaces, createReadSmall, failOn, type Work } from './post-work.js';
import { type Chunks, isSigned } from './signature.js';
import { collect, createUnproven, readChunks } from './unproven.js';

/** In place of the body, while the parameters are validated: the contract has no schema of what apps send. */
const anyBody = {};
const format = { bytesMax: settings.max_bytes, findType: () => undefined, encodings: /^(identity|(x-)?gzip)$/ };

export interface SourceParts extends Omit<PostedBody, 'bytes' | 'isZipped' | 'caller' | 'nowMs'> {
  /** Epoch ms. */
  readonly now: () => number;
  /** Reads a large body in another thread. Absent: in this one. */
  readonly readLarge?: ReadPostedBody | undefined;
  /** Decrypts a secret of a place. */
  readonly openSecret: (sealed: string, place: string) => string;
  readonly load: LoadSums;
  /** Time limit for sending a body, in ms. */
  readonly uploadMs?: number | undefined;
  /** Ends the reading of large bodies. */
  readonly closing: AbortSignal;
}

/**
 * Returns the steps of a post with a source key: `validate` checks the parameters, then the body is received, waits for the
 * earlier posts of its person, and is converted to readings. What it takes is released when its readings are stored.
 */
export function createSourceSteps(parts: SourceParts, watch: WatchUpload): (validate: Step) => Step[] {
  const readSmall = createReadSmall(parts.load);
  const { uploadMs = settings.upload_seconds * 1000, closing, readLarge = readSmall } = parts;
  const { digestKeys, maxTimestampAgeMs } = parts;
  const takePlace = createPlaces(closing);
  const { policy, quota, refused_retry_seconds: resetSeconds } = limits.posts;
  const refuse = () => createConcurrencyError({ policy, quota, resetSeconds });
  const takeTurn = createTurns({ atOnceMax: 1, turnsMax: quota, refuse });
  const receiveUnproven = createUnproven();

  async function take(exchange: Exchange, response: Response | undefined): Promise<void> {
    if (!response) throw new Error('a post requires a response');
    const caller = requireCaller(exchange);
    const { accountId, subjectId } = caller;
    requireHead(['application/json'], format, exchange.headers, response);
    const isZipped = /gzip/i.test(exchange.headers['content-encoding'] ?? '');
    const requireSigned = readSignature(exchange, caller, isZipped);
    const work = beginWork(response);
    exchange.end = work.end;
    const bytes = await receive(exchange, response, work, requireSigned);
    const small = isZipped ? inflate(bytes, settings.large_bytes) : bytes;
    const isLarge = !small || small.length > settings.large_bytes;
    if (isLarge) work.add(takePlace(accountId, work));
    const { allowances, refusal } = await countRequest(() => exchange.call?.admit());
    exchange.allowances = allowances;
    if (refusal) throw refusal;
    if (subjectId !== undefined) work.add(await takeTurn(`${accountId} ${subjectId}`, work.signal));
    const body = { bytes: small ?? bytes, isZipped: !small };
    const maxBackfillAgeMs = findKeptMs(caller, parts.maxBackfillAgeMs);
    const posted = { ...body, caller, nowMs: parts.now(), digestKeys, maxTimestampAgeMs, maxBackfillAgeMs };
    const addCpu = (cpuMs: number) => parts.load.add(accountId, { cpuMs });
    exchange.body = (await (isLarge ? readLarge : readSmall)(posted, work.signal, addCpu)) satisfies Post;
  }

  /** Resolves with the body as sent. That of a hub is unproven until `requireSigned` has read it. */
  async function receive(
    exchange: Exchange,
    response: Response,
    work: Work,
    requireSigned: ((chunks: Chunks) => Promise<void>) | undefined,
  ): Promise<Buffer> {
    const { req: request } = response;
    const { address } = exchange;
    const caller = requireCaller(exchange);
    if (!request.complete) allowSlowBody(request);
    const timer = setTimeout(() => {
      response.set('Connection', 'close');
      work.abort(new ProblemError('service_unavailable', { cause: 'the upload is too slow' }));
    }, uploadMs);
    const ended = failOn(work.signal);
    try {
      if (!requireSigned) {
        const end = watch(request, caller.accountId);
        return await Promise.race([readBytes(request, response, settings.max_bytes).finally(end), ended]);
      }
      const body = await receiveUnproven(readChunks(request, response, ended), caller.keyId, toNetwork(address));
      try {
        await requireSigned(body.chunks());
        return await collect(body.chunks());
      } finally {
        body.discard();
      }
    } catch (error) {
      throw error instanceof ProblemError ? error : new ProblemError('invalid_payload', { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Returns the check of a hub's body. Throws a ProblemError if its headers contain no new signature. */
  function readSignature({ headers }: Exchange, { accountId, keyId, sender }: Grant, isZipped: boolean) {
    const scheme = sender && findHub(sender.source)?.signature;
    if (!scheme) return undefined;
    const stated = scheme.read(headers);
    const isNew = stated && Math.abs(parts.now() / 1000 - stated.atSeconds) <= settings.signature_age_seconds;
    if (!isNew) throw new ProblemError('invalid_signature');
    const secret = parts.openSecret(sender.signingSecret ?? '', `${accountId} ${keyId}`);
    return async (chunks: Chunks) => {
      if (!(await isSigned(scheme, secret, stated, { chunks, isZipped }))) throw new ProblemError('invalid_signature');
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
