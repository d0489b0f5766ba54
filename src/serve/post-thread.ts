import { once } from 'node:events';
import { setPriority } from 'node:os';
import { parentPort, Worker } from 'node:worker_threads';
import { sources as settings } from '../../generated/spec.js';
import { createRoundRobin } from '../limits/round-robin.js';
import { threadLimits as resourceLimits } from '../observe/v8-options.js';
import type { Post } from '../readings/post.js';
import { type PostedBody, readPostedBody, type ReadPostedBody } from '../readings/posted-body.js';
import { readError, type WireError, writeError } from './wire-error.js';

type Result = { readonly post: Post } | { readonly error: WireError };

/**
 * Returns a function that reads a body on a thread of its own: it delays no request, and its memory is free afterwards. The
 * signal ends the thread. Few threads run at the same time, and accounts take turns.
 */
export function createReadOnThread(program: URL): ReadPostedBody {
  const threads = createRoundRobin({ atOnce: settings.large_threads_max });
  return (posted, signal, addCpu) =>
    threads.run(posted.caller.accountId, () => readOnThread(program, posted, signal, addCpu));
}

async function readOnThread(program: URL, ...[posted, signal, addCpu]: Parameters<ReadPostedBody>): Promise<Post> {
  signal.throwIfAborted();
  const { buffer } = posted.bytes;
  // A short Buffer is a part of memory that others use.
  const transferList = buffer.byteLength > Buffer.poolSize ? [buffer as ArrayBuffer] : [];
  const startedAtMs = performance.now();
  const thread = new Worker(program, { workerData: posted, transferList, resourceLimits });
  try {
    const [result] = (await once(thread, 'message', { signal })) as [Result];
    if ('error' in result) throw readError(result.error);
    return result.post;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    // The next thread starts when this one has freed its memory.
    await thread.terminate();
    // The thread waits for nothing.
    addCpu(performance.now() - startedAtMs);
  }
}

/** Priority of the thread (nice value): requests and deliveries get three times the CPU, and a large post still ends in time. */
const niceness = 5;

/** Reads a body on this thread, for `createReadOnThread`. */
export async function runPost(posted: PostedBody): Promise<void> {
  // Only Linux has a priority per thread. Elsewhere, the whole process would get it.
  if (process.platform === 'linux') setPriority(niceness);
  const result: Result = await readPostedBody(posted, async () => undefined).then(
    (post) => ({ post }),
    (error: unknown) => ({ error: writeError(error) }),
  );
  parentPort?.postMessage(result);
}
