import { ConnectionError } from './connection-error.js';
import { createTimeLimit } from './time-limit.js';

export interface ConnectionParts<Item> {
  /** Requests the stream. Resolves with the body when its headers have arrived. Rejects with the error of the response. */
  readonly connect: (signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;
  /** The caller's signal. */
  readonly signal: AbortSignal | undefined;
  /** Maximum wait for the headers. */
  readonly timeoutMs: number;
  /** Maximum wait for the next bytes. The service sends a comment more often. */
  readonly silenceMs: number;
  /** Called once per connection. Returns a function that takes the next text and returns the items that it completes. */
  readonly startParser: () => (text: string) => readonly Item[];
}

/** How a connection ended. */
export interface Ended {
  /** False if no byte of the stream arrived. */
  readonly wasOpen: boolean;
  /** Undefined if the service ended the stream. */
  readonly error: Error | undefined;
}

/**
 * Yields the items of one connection, and returns how it ended. Throws when the caller's signal aborts. Closes the
 * connection when the caller stops iterating.
 */
export async function* receive<Item>(parts: ConnectionParts<Item>): AsyncGenerator<Item, Ended, undefined> {
  const limit = createTimeLimit([parts.signal]);
  const parse = parts.startParser();
  const decoder = new TextDecoder();
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let wasOpen = false;
  try {
    limit.start(parts.timeoutMs);
    reader = (await parts.connect(limit.signal)).getReader();
    for (;;) {
      limit.start(parts.silenceMs);
      const { done, value } = await reader.read().catch(broken);
      limit.pause();
      if (done) return { wasOpen, error: undefined };
      wasOpen = true;
      yield* parse(decoder.decode(value, { stream: true }));
    }
  } catch (error) {
    parts.signal?.throwIfAborted();
    return { wasOpen, error: limit.signal.aborted ? limit.signal.reason : error };
  } finally {
    limit.release();
    reader?.cancel().catch(() => undefined);
  }
}

function broken(cause: unknown): never {
  throw new ConnectionError('the connection of the stream broke', cause);
}
