import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { sources as settings } from '../../generated/spec.js';
import { SourceFormError } from '../../packages/recordings/sources/source.js';
import type { Caller } from '../contract/contract.js';
import { createValidationError, ProblemError } from '../contract/problem.js';
import type { Pause } from '../store/scope.js';
import { createPrepareReading, type PreparationParts } from './intake.js';
import { createReadPost, type Post } from './post.js';

/** What an app posted, with what is needed to read it. Plain data, because a large body is read on another thread. */
export interface PostedBody extends Omit<PreparationParts, 'texts' | 'now'> {
  readonly bytes: Uint8Array;
  readonly caller: Caller;
  readonly nowMs: number;
}

/** Returns the readings of a body. Rejects with a ProblemError for a body that is not of the form of the source. */
export type ReadPostedBody = (posted: PostedBody) => Promise<Post>;

/** Reads a body between other work of this thread. */
export const readInParts: ReadPostedBody = (posted) => readPostedBody(posted, () => setImmediate());

export async function readPostedBody(posted: PostedBody, pause: Pause): Promise<Post> {
  const { bytes, caller, nowMs } = posted;
  const prepare = createPrepareReading({ ...posted, texts: { analyze: rejectText }, now: () => nowMs });
  if (isDeeper(bytes, settings.depth_max))
    throw createValidationError('source_form', { pointer: '' }, `with at most ${settings.depth_max} nested values`);
  try {
    return await createReadPost({ ...posted, prepare })(caller, parse(bytes), pause);
  } catch (error) {
    if (!(error instanceof SourceFormError)) throw error;
    throw createValidationError('source_form', { pointer: '' }, caller.sender?.source);
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

const [quote, backslash, openList, closeList, openObject, closeObject] = Buffer.from('"\\[]{}');

/**
 * Returns true for a text with more than `levelsMax` arrays and objects in each other. Runs before the text is parsed, because
 * each level takes much memory.
 */
function isDeeper(text: Uint8Array, levelsMax: number): boolean {
  let [levels, isString] = [0, false];
  for (let at = 0; at < text.length && levels <= levelsMax; at += 1) {
    const byte = text[at];
    if (byte === quote) isString = !isString;
    else if (isString) at += byte === backslash ? 1 : 0;
    else if (byte === openList || byte === openObject) levels += 1;
    else if (byte === closeList || byte === closeObject) levels -= 1;
  }
  return levels > levelsMax;
}
