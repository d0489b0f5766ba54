import { isUtf8 } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { sources as settings } from '../../generated/spec.js';
import { SourceFormError } from '../../packages/recordings/sources/source.js';
import type { Grant } from '../contract/grant.js';
import { createValidationError, ProblemError } from '../contract/problem.js';
import type { Pause } from '../store/scope.js';
import { createPrepareReading, type PreparationParts } from './intake.js';
import { createReadPost, type Post } from './post.js';

/** What an app posted, with what is needed to read it. Plain data, because a large body is read on another thread. */
export interface PostedBody extends Omit<PreparationParts, 'texts' | 'now'> {
  readonly bytes: Uint8Array;
  /** True for a body that is inflated where it is read. */
  readonly isZipped?: boolean;
  readonly caller: Grant;
  readonly nowMs: number;
}

/**
 * Returns the readings of a body. Rejects with a ProblemError for a body that is not of the form of the source, and with the
 * reason of the signal when it ends the work. `addCpu` gets the CPU time of the body in other threads, in ms.
 */
export type ReadPostedBody = (
  posted: PostedBody,
  signal: AbortSignal,
  addCpu: (cpuMs: number) => void,
) => Promise<Post>;

export async function readPostedBody(posted: PostedBody, pause: Pause): Promise<Post> {
  const { caller, nowMs } = posted;
  const bytes = posted.isZipped ? inflate(posted.bytes, settings.max_bytes) : posted.bytes;
  if (!bytes) throw new ProblemError('body_too_large');
  const prepare = createPrepareReading({ ...posted, texts: { analyze: rejectText }, now: () => nowMs });
  const excess = findExcess(bytes);
  if (excess) throw createValidationError('source_form', { pointer: '' }, `with at most ${excess}`);
  try {
    return await createReadPost({ ...posted, prepare })(caller, parse(bytes), pause);
  } catch (error) {
    if (!(error instanceof SourceFormError)) throw error;
    throw createValidationError('source_form', { pointer: '' }, caller.sender?.source);
  }
}

/** Inflates a gzip body. Returns undefined if it is longer than `bytesMax`. */
export function inflate(bytes: Uint8Array, bytesMax: number): Buffer | undefined {
  try {
    return gunzipSync(bytes, { maxOutputLength: bytesMax });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw new ProblemError('invalid_payload', { cause });
  }
}

function rejectText(): never {
  throw new Error('no source has texts');
}

/** Parses a body, without its byte order mark if it has one. */
function parse(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) throw new ProblemError('invalid_payload', { cause: new Error('the body is not UTF-8') });
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new ProblemError('invalid_payload', { cause });
  }
}

const [quote, backslash, openList, closeList, openObject, closeObject, colon] = Buffer.from('"\\[]{}:');
const { depth_max: levelsMax, objects_max: objectsMax, names_max: namesMax } = settings;

/**
 * Returns what a text has too many of. Runs before the text is parsed, because nested values, empty objects and names of an
 * object take 40 times the memory of their text, and V8 ends the process when the heap is full.
 */
function findExcess(text: Uint8Array): string | undefined {
  /** Numbers of names in the open objects. */
  const names = new Uint32Array(levelsMax + 1);
  let [levels, objects, isString] = [0, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (byte === quote) isString = !isString;
    else if (isString) at += byte === backslash ? 1 : 0;
    else if (byte === openList || byte === openObject) {
      levels += 1;
      objects += 1;
      if (levels > levelsMax) return `${levelsMax} nested values`;
      if (objects > objectsMax) return `${objectsMax} objects and lists`;
      names[levels] = 0;
    } else if (byte === closeList || byte === closeObject) levels = Math.max(0, levels - 1);
    else if (byte === colon) {
      const count = (names[levels] ?? 0) + 1;
      if (count > namesMax) return `${namesMax} names in an object`;
      names[levels] = count;
    }
  }
  return undefined;
}
