import { once } from 'node:events';
import { parentPort, Worker } from 'node:worker_threads';
import { threadLimits as resourceLimits } from '../observe/v8-options.js';
import type { Post } from '../readings/post.js';
import { type PostedBody, readPostedBody, type ReadPostedBody } from '../readings/posted-body.js';
import { readError, type WireError, writeError } from './wire-error.js';

type Result = { readonly post: Post } | { readonly error: WireError };

/** Returns a function that reads a body on a thread of its own: it delays no request, and its memory is free afterwards. */
export function createReadOnThread(program: URL): ReadPostedBody {
  return async (posted) => {
    const transferList = [posted.bytes.buffer as ArrayBuffer];
    const thread = new Worker(program, { workerData: posted, transferList, resourceLimits });
    const [result] = (await once(thread, 'message')) as [Result];
    if ('error' in result) throw readError(result.error);
    return result.post;
  };
}

/** Reads a body on this thread, for `createReadOnThread`. */
export async function runPost(posted: PostedBody): Promise<void> {
  const result: Result = await readPostedBody(posted, async () => undefined).then(
    (post) => ({ post }),
    (error: unknown) => ({ error: writeError(error) }),
  );
  parentPort?.postMessage(result);
}
